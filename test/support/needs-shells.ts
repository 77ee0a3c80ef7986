/**
 * Whether a shell that is not here is a defect of the machine rather than something to be told: `.ci/run`
 * says so where zsh and fish are installed. Else completion that no shell ever ran would look like one that
 * all of them take.
 */
export const needsShells = process.env['PADDOCK_NEEDS_SHELLS'] === '1';
