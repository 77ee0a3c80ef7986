import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { residentBytes } from '../../../apps/validator/sandbox/process-memory.ts';

// The kernel lists a child with the thread that began it: one that is not looked at could fill the machine.
test('memory counts of whoever comes from any thread of a process', async (t) => {
  const child =
    'import sys; held = b"x" * 100_000_000; print("held", flush=True); sys.stdin.read()';
  const parent = `
import subprocess, sys, threading
def begin():
    one = subprocess.Popen([sys.executable, "-c", ${JSON.stringify(child)}], stdin=sys.stdin)
    one.wait()
threading.Thread(target=begin).start()
`;
  const python = spawn('python3', ['-c', parent], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => python.stdin.end());
  await once(python.stdout, 'data');

  const bytes = residentBytes(python.pid ?? 0);

  t.true(bytes > 100_000_000 && bytes < 300_000_000, `${bytes}`);
});
