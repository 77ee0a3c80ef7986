/**
 * Agents that reach for the network, for processes and for files, each in its shortest form. They are for a
 * service that takes `os` and `socket` for packages of its agents, as if every check of a submission had been
 * beaten: what is left to hold them is the sandbox.
 */

/** What they reach for. All of it is there, outside, for whoever runs as the validator does. */
export interface Outside {
  /** Of the address by which the validator reaches the service. */
  readonly port: number;
  readonly keyFile: string;
  /** Where packs lie, and with them the answers. */
  readonly packFolder: string;
  readonly graderFile: string;
  /** Files that are not there, and must not come to be. */
  readonly marks: readonly string[];
}

export interface EscapingAgent {
  readonly title: string;
  readonly code: string;
  /** As the service tells it of the failed run. */
  readonly reason: RegExp;
}

/** A path that only an agent asks the service for. */
export const knock = '/out-of-the-sandbox';

/** Listed modules are enough for it: a service as it is delivered accepts this file. */
export const threadBomb = agentOf(
  'threading, time',
  'while True:',
  '    threading.Thread(target=time.sleep, args=(60,)).start()',
);

/** Each lets the refusal through, and fails by it. */
export function escapingAgents(outside: Outside): readonly EscapingAgent[] {
  const [keyFile, folder] = [python(outside.keyFile), python(outside.packFolder)];
  return [
    {
      title: 'opens a connection to the service',
      code: agentOf(
        'socket',
        'line = socket.SocketType()',
        `line.connect(("127.0.0.1", ${outside.port}))`,
        `line.sendall(b"GET ${knock} HTTP/1.0\\r\\n\\r\\n")`,
      ),
      reason: /^raised: .*PermissionError/,
    },
    {
      title: 'asks for a name',
      code: agentOf('socket', 'socket.gethostbyname("example.org")'),
      reason: /^raised: .*(gaierror|herror|PermissionError)/,
    },
    {
      title: 'forks without end',
      code: agentOf('os', 'while True:', '    os.fork()'),
      // Whichever is reached first: no more processes, or no more memory for them.
      reason: /^(raised: .*BlockingIOError|memory_limit: )/,
    },
    {
      title: 'starts threads without end',
      code: threadBomb,
      reason: /^raised: .*can't start new thread/,
    },
    {
      title: 'reads the key of its validator',
      code: agentOf('os', `print(os.read(os.open(${keyFile}, os.O_RDONLY), 99))`),
      reason: /^raised: .*FileNotFoundError/,
    },
    {
      title: 'removes the key of its validator',
      code: agentOf('os', `os.remove(${keyFile})`),
      reason: /^raised: .*FileNotFoundError/,
    },
    {
      title: 'lists the packs and their answers',
      code: agentOf('os', `print(os.listdir(${folder}))`),
      reason: /^raised: .*FileNotFoundError/,
    },
    {
      title: 'replaces the program that runs it',
      code: agentOf('os', 'os.open("/sandbox/runner.py", os.O_WRONLY | os.O_TRUNC)'),
      reason: /^raised: .*(PermissionError|Read-only file system)/,
    },
    {
      title: 'writes a grade into the channel',
      code: agentOf('os, time', 'os.write(3, b\'{"grade": 1}\\n\')', 'time.sleep(60)'),
      reason: /^protocol: /,
    },
  ];
}

/** Tries every door on every task, whatever it is told, prints what it was told, and buys nothing. */
export function quietAgent(outside: Outside): string {
  const attempts = [
    `socket.SocketType().connect(("127.0.0.1", ${outside.port}))`,
    'socket.gethostbyname("example.org")',
    `os.read(os.open(${python(outside.keyFile)}, os.O_RDONLY), 99)`,
    `os.remove(${python(outside.keyFile)})`,
    `os.listdir(${python(outside.packFolder)})`,
    `os.open(${python(outside.graderFile)}, os.O_RDONLY)`,
    'os.open("/etc/passwd", os.O_RDONLY)',
    'os.remove("/sandbox/runner.py")',
    ...outside.marks.map((path) => `os.open(${python(path)}, os.O_CREAT | os.O_WRONLY)`),
  ];
  return `import os
import socket

def refusal(attempt):
    try:
        return str(attempt())
    except OSError:
        return "refused"

def agent_main(problem):
${attempts.map((attempt) => `    print(refusal(lambda: ${attempt}))\n`).join('')}`;
}

function agentOf(imports: string, ...lines: readonly string[]): string {
  const body = lines.map((line) => `    ${line}\n`).join('');
  return `import ${imports}\n\ndef agent_main(problem):\n${body}`;
}

/** A text of JSON is one of Python for any path that people give to files. */
function python(text: string): string {
  return JSON.stringify(text);
}
