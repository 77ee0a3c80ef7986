/**
 * Loaded before AVA's own process. What AVA prints of a failed test has the first line of its stack, and where
 * none is left of it (an error whose every frame is a library's) its writer of YAML refuses the empty field,
 * which ended the whole run: one failure hid hundreds of files.
 */
import { createRequire } from 'node:module';

interface YamlWriter {
  safeDump: (value: unknown, options?: { readonly skipInvalid?: boolean }) => string;
}

const ofAva = createRequire(import.meta.resolve('ava'));
const ofTap = createRequire(ofAva.resolve('supertap'));
const yaml = ofTap('js-yaml') as YamlWriter;
const { safeDump } = yaml;
yaml.safeDump = (value, options) => safeDump(value, { skipInvalid: true, ...options });
