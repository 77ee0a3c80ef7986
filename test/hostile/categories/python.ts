import type { Dice } from '../../fuzz/dice.ts';
import { ownRefused, publishedRefused } from '../../infra/python/refused-samples.ts';
import { bearer, type Category, type HostileRequest, kept } from '../hostile-request.ts';
import type { Material } from '../material.ts';

const honest = 'import json\n\ndef agent(task):\n    return {"order": json.dumps(task)}\n';

/** Small to send, large to read. */
const bombs: readonly (() => string)[] = [
  () => `x = ${'('.repeat(5000)}1${')'.repeat(5000)}\n`,
  () => `x = ${'['.repeat(300)}\n`,
  () => `x = ${'-'.repeat(20_000)}1\n`,
  () => `x = ${'1+'.repeat(20_000)}1\n`,
  () => `${Array.from({ length: 120 }, (_, depth) => `${' '.repeat(depth)}if 1:\n`).join('')}`,
  () => `x = "${'a'.repeat(60_000)}\n`,
  () => `x = f"${'{f"'.repeat(60)}`,
  () => `${'@d\n'.repeat(9000)}`,
  () => 'import subprocess\n'.repeat(2500),
];

/** Files that reach for what they should not, in many styles, and files that are bombs. */
export function python({ sessions }: Material, share: number): Category {
  const samples = [...publishedRefused, ...ownRefused].map(({ code }) => code);
  return { name: 'Python files', share, make };
  function make(dice: Dice): HostileRequest {
    const code = dice.chance(0.1)
      ? (dice.pick(bombs)?.() ?? '(')
      : styled(dice.pick(samples) ?? '', dice);
    const isRehearsal = dice.chance(0.5);
    const target = `/v1/miner/submit${isRehearsal ? '/check' : ''}`;
    const type = 'multipart/form-data; boundary=b7f3';
    const headers = { ...bearer(dice.pick(sessions.miners) ?? ''), 'Content-Type': type };
    const request = kept(dice, { method: 'POST', target, headers, body: formOf(code) }, [
      ...[400, 422, 429],
      ...(isRehearsal ? [200] : []),
    ]);
    return { ...request, lane: 'costly', refuses: (body) => body.startsWith('{"ok":false') };
  }
}

/** The same reach behind honest lines, in a function or a class, with other line ends. */
function styled(code: string, dice: Dice): string {
  const indented = code.replaceAll('\n', '\n    ');
  const style = dice.whole(0, 5);
  if (style === 1) return `${honest}${code}\n`;
  if (style === 2) return `def agent(task):\n    ${indented}\n`;
  if (style === 3) return `${honest}class A:\n    ${indented}\n`;
  if (style === 4) return `if True:\n    ${indented}\n`;
  if (style === 5) return `# -*- coding: utf-8 -*-\n${code}\n# ${dice.hex(30)}\n`;
  return code;
}

function formOf(code: string): string {
  const disposition = '--b7f3\r\nContent-Disposition: form-data; name=';
  const file = `${disposition}"file"; filename="agent.py"\r\n\r\n${code}\r\n`;
  return `${disposition}"agent_name"\r\n\r\nshopper\r\n${file}--b7f3--\r\n`;
}
