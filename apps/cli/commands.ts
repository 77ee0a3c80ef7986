import type { Command } from './command.ts';
import { agents } from './commands/agents.ts';
import { check } from './commands/check.ts';
import { completion } from './commands/completion.ts';
import {
  credentials,
  defaultProvider,
  removeCredential,
  rotateCredential,
  setCredential,
} from './commands/credentials.ts';
import { download } from './commands/download.ts';
import { events } from './commands/events.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { pin } from './commands/pin.ts';
import { race } from './commands/race.ts';
import { races } from './commands/races.ts';
import { status } from './commands/status.ts';
import { submit } from './commands/submit.ts';
import { top } from './commands/top.ts';
import { unpin } from './commands/unpin.ts';
import { verify } from './commands/verify.ts';
import { whoami } from './commands/whoami.ts';
import { operatorCommands } from './operator/operator-commands.ts';

/** All of them, in the order in which one comes to need them. */
export const commands: readonly Command[] = [
  login,
  logout,
  whoami,
  check,
  submit,
  status,
  agents,
  pin,
  unpin,
  credentials,
  setCredential,
  rotateCredential,
  removeCredential,
  defaultProvider,
  race,
  races,
  top,
  events,
  download,
  verify,
  // Made of all commands, this one among them.
  completion(() => commands),
  ...operatorCommands,
];
