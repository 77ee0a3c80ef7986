import { int4Max, integerText } from './integer.ts';

/** The query fields of a paged list. */
export function pageQuery(limits: { readonly limitMax: number; readonly limitDefault: number }) {
  return {
    limit: integerText({ min: 1, max: limits.limitMax })
      .default(limits.limitDefault)
      .meta({ override: { default: limits.limitDefault } }),
    offset: integerText({ min: 0, max: int4Max })
      .default(0)
      .meta({ override: { default: 0 } }),
  };
}
