import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { z } from 'zod';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { announcesBody, ClientGone } from '../middleware/json-body.ts';
import { invalidField } from '../validation.ts';

/** For the description of the API: the parts are read by hand, as they stream in. */
export const submissionForm = z.object({
  agent_name: z.string(),
  file: z.string().meta({ override: { type: 'string', format: 'binary' } }),
});

/** Far more than what may stand around the file: an upload above it is not begun. */
const besideFileBytesMax = 1_048_576;

export interface SubmittedFile {
  readonly agentName: string;
  readonly file: Buffer;
}

export interface MultipartLimits {
  readonly fileBytesMax: number;
  /**
   * Throws where the name is no agent's name; called as soon as it is read, with undefined in the place
   * of one that is longer than any field is read: what is left of it could be a name.
   */
  readonly checkName: (text: string | undefined) => string;
}

/** Far more than any form has beside its two: what they hold is dropped, but each costs a little. */
const partsMax = 1000;

const limits = {
  fieldNameSize: 100,
  fieldSize: 1024,
  fields: partsMax,
  // One more than may be, so that a second one is seen.
  files: 2,
  parts: partsMax,
  headerPairs: 20,
  headerSize: 4096,
};

/**
 * Reads `agent_name` and `file` from a multipart body, in either order. Reading stops at the first
 * byte over the limit, so that a large upload costs no more than the largest legal one.
 */
export async function readSubmission(
  request: IncomingMessage,
  { fileBytesMax, checkName }: MultipartLimits,
): Promise<SubmittedFile> {
  const parser = openParser(request, fileBytesMax);
  const lengthMax = fileBytesMax + besideFileBytesMax;
  if (Number(request.headers['content-length'] ?? 0) > lengthMax) throw fileTooLarge(fileBytesMax);
  if (!announcesBody(request)) throw broken();
  if (request.destroyed) throw new ClientGone();
  // A body that announces no length is bounded, too: parts that mean nothing may be of any size.
  let count: (chunk: Buffer) => void = () => undefined;
  return (await new Promise((resolve, reject) => {
    let name: string | undefined;
    let file: Buffer | undefined;
    const attempt = (step: () => void) => {
      try {
        step();
      } catch (error) {
        reject(error);
      }
    };
    parser.on('field', (field, value, _isNameCut, isValueCut) => {
      // No more of it than a field's size was ever held.
      if (field !== 'agent_name') return;
      if (name !== undefined) reject(twice(field));
      attempt(() => (name = checkName(isValueCut ? undefined : value)));
    });
    let files = 0;
    parser.on('file', (field, stream) => {
      files += 1;
      if (files > 1) reject(twice(field));
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('limit', () => reject(fileTooLarge(fileBytesMax)));
      stream.once('end', () => (file = Buffer.concat(chunks)));
      stream.on('error', reject);
    });
    for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) {
      parser.once(limit, () => reject(invalidField(['body'], 'must not have so many parts')));
    }
    // Not once: an error that nobody listens to would end the process.
    parser.on('error', () => reject(broken()));
    parser.once('finish', () => attempt(() => resolve(whole(name, file))));
    request.once('error', reject);
    request.once('aborted', () => reject(invalidField(['body'], 'ended before it was whole')));
    request.once('close', () => {
      if (!request.readableEnded) reject(new ClientGone());
    });
    let bytes = 0;
    count = (chunk) => {
      bytes += chunk.length;
      if (bytes > lengthMax) reject(fileTooLarge(fileBytesMax));
    };
    request.on('data', count);
    request.pipe(parser);
  }).finally(() => {
    request.unpipe(parser);
    request.off('data', count);
  })) as SubmittedFile;
}

function openParser(request: IncomingMessage, fileBytesMax: number) {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    throw refusal('UNSUPPORTED_MEDIA_TYPE', {
      says: 'The body must be multipart/form-data.',
      next: 'Send the parts agent_name and file so.',
    });
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      // The part's name decides, not whether the client thought of a file name.
      isPartAFile: (field) => field === 'file',
      limits: { ...limits, fileSize: fileBytesMax },
    });
  } catch {
    throw invalidField(['body'], 'must be multipart/form-data with a boundary');
  }
}

/** Which of two counts is nobody's guess. */
function twice(field: string): Fault {
  return invalidField(['body', field], 'must not be repeated');
}

function whole(name: string | undefined, file: Buffer | undefined): SubmittedFile {
  if (name === undefined) throw invalidField(['body', 'agent_name'], 'Field required', 'missing');
  if (file === undefined) throw invalidField(['body', 'file'], 'Field required', 'missing');
  return { agentName: name, file };
}

function broken(): Fault {
  return invalidField(['body'], 'must be whole multipart/form-data');
}

function fileTooLarge(bytesMax: number): Fault {
  return refusal('FILE_TOO_LARGE', {
    says: `The agent file may hold at most ${bytesMax} bytes.`,
    next: 'Make it smaller.',
    extras: {
      max_bytes: bytesMax,
    },
  });
}
