/** Of a call that uploads an agent: beyond the minute that an edge itself allows, so that a slow line hears its answer. */
export const submissionTimeoutMs = 65_000;
