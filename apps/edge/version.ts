import manifest from '../../package.json' with { type: 'json' };

/** Of the application; has nothing to do with the `/v1` of the paths. */
export const version: string = manifest.version;
