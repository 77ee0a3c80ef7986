/** Which attribute names are out of bounds, wherever they stand: `a.b`, getattr, patterns. */

import type { Problem } from '../finding.ts';
import { foldedName } from '../folded-name.ts';

/** Answers with a string, or with something that leads no further. */
const plainDunders = new Set([
  ...['__name__', '__qualname__', '__module__', '__doc__', '__version__'],
  ...['__cause__', '__context__', '__traceback__', '__suppress_context__', '__members__'],
]);

/** Special methods that may be called by name, as in `super().__init__()`. */
const calledMethods =
  'init new post_init init_subclass enter exit aenter aexit iter next aiter anext await call len ' +
  'length_hint contains getitem setitem delitem missing reversed eq ne lt le gt ge hash bool str ' +
  'repr format bytes int float complex index round trunc floor ceil neg pos abs invert add sub mul ' +
  'matmul truediv floordiv mod divmod pow lshift rshift and xor or radd rsub rmul rmatmul rtruediv ' +
  'rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror iadd isub imul imatmul itruediv ' +
  'ifloordiv imod ipow ilshift irshift iand ixor ior copy deepcopy sizeof del';

/**
 * Special methods that may be defined besides, but not reached by name. Not among them are those
 * that `copy` obeys, which set attributes of any name on any object, and `__getattribute__`, which
 * lies about all the others.
 */
const definedMethods =
  'getattr setattr delattr get set delete set_name class_getitem instancecheck subclasscheck ' +
  'subclasshook dir fspath buffer';

const dunder = (name: string): string => `__${name}__`;
export const callableMethods = new Set(calledMethods.split(' ').map(dunder));
export const definableMethods = new Set([
  ...callableMethods,
  ...definedMethods.split(' ').map(dunder),
]);

/** Frames, code objects, running generators, and doors of the standard library's own objects. */
const frameNames = new Set([
  ...['gi_frame', 'gi_code', 'gi_yieldfrom', 'cr_frame', 'cr_code', 'cr_await', 'cr_origin'],
  ...['ag_frame', 'ag_code', 'ag_await', 'tb_frame', 'tb_next', 'tb_lasti', 'f_back', 'f_builtins'],
  ...[
    'f_code',
    'f_globals',
    'f_locals',
    'f_trace',
    'co_code',
    'co_consts',
    'co_names',
    'co_varnames',
  ],
  ...[
    'func_globals',
    'func_code',
    'func_closure',
    'func_defaults',
    'im_func',
    'im_class',
    'im_self',
  ],
  ...[
    'mro',
    'get_stack',
    'get_field',
    'format_field',
    'vformat',
    '_evaluate',
    '_Printer__filenames',
    '_Printer__lines',
    '_module',
    '_getframe',
  ],
]);

/** Doors to processes, connections and files that a listed object would have. */
const doorNames = new Set([
  ...['subprocess_exec', 'subprocess_shell', 'create_connection', 'create_server', 'sendfile'],
  ...[
    'create_unix_connection',
    'create_unix_server',
    'create_datagram_endpoint',
    'connect_read_pipe',
  ],
  ...['connect_write_pipe', 'connect_accepted_socket', 'sock_connect', 'add_reader', 'add_writer'],
  ...['write_text', 'write_bytes', 'getaddrinfo', 'getnameinfo', 'start_tls', '_make_self_pipe'],
  ...['sock_accept', 'sock_recv', 'sock_recv_into', 'sock_recvfrom', 'sock_sendall', 'sock_sendto'],
  ...['_ssock', '_csock', '_selector', 'add_signal_handler', 'remove_signal_handler'],
  ...['_make_socket_transport', '_make_ssl_transport', '_make_datagram_transport'],
  ...['_make_read_pipe_transport', '_make_write_pipe_transport', '_make_subprocess_transport'],
  ...['_ensure_resolved', '_connect_sock', '_create_connection_transport', '_start_serving'],
  ...['_create_server_getaddrinfo', '_accept_connection', '_accept_connection2'],
  ...['_add_reader', '_add_writer', '_remove_reader', '_remove_writer', '_read_from_self'],
  ...['_sock_connect', '_sock_recv', '_sock_recv_into', '_sock_sendall', '_sock_sendfile_native'],
  ...['_write_to_self', '_handle_signal', '_getaddrinfo_debug', '_child_watcher_callback'],
  // Lines of whatever file they are told to be of.
  ...['_source_traceback', 'call_exception_handler', 'default_exception_handler'],
  // The streams of the process that objects of the library keep.
  ...['_stderr', '_stdout', '_stdin', '_stream', '_old_targets', 'setStream', 'makeRecord'],
  ...['detach', 'sourcehook', 'formatwarning', '_showwarnmsg'],
]);

/** `tb_frame` and the like, but not `mro` or `get_field`, which a file may call its own. */
export function isFrameName(name: string): boolean {
  return frameNames.has(name) && /^(?:gi|cr|ag|tb|f|co)_/.test(name);
}

export function isDoorName(name: string): boolean {
  return doorNames.has(name);
}

export function isDunder(name: string): boolean {
  return name.length > 4 && name.startsWith('__') && name.endsWith('__');
}

/** What is wrong with reading or writing this attribute of any object, null if nothing. */
export function attributeProblem(name: string): Problem | null {
  if (frameNames.has(name)) {
    const message = `'.${name}' reaches into frames, code objects or class internals; remove it, or rename what is your own`;
    return { rule: 'frame-access', message };
  }
  if (doorNames.has(name)) {
    const message = `'.${name}' opens files, processes or connections; use the sandbox's own tools, or rename what is your own`;
    return { rule: 'file-access', message };
  }
  if (!isDunder(name) || plainDunders.has(name)) return null;
  const message = `'${name}' is an internal of Python; use type(x).__name__, dataclasses.asdict or a method of your own instead`;
  return { rule: 'dunder-access', message };
}

/** May a literal name be given to getattr, attrgetter and the like? */
export function isSafeAttributePath(path: string): boolean {
  const names = path.split('.').map(foldedName);
  return names.every((name) => attributeProblem(name) === null && !name.includes('\ufffd'));
}
