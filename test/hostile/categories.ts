import { bodies } from './categories/bodies.ts';
import { cells } from './categories/cells.ts';
import { identity, replays } from './categories/identity.ts';
import { inference } from './categories/inference.ts';
import { limits } from './categories/limits.ts';
import { multipart } from './categories/multipart.ts';
import { objects } from './categories/objects.ts';
import { protocol } from './categories/protocol.ts';
import { python } from './categories/python.ts';
import { slow } from './categories/slow.ts';
import { spellings } from './categories/spellings.ts';
import { challenges, operators, sessions } from './categories/tokens.ts';
import type { Category } from './hostile-request.ts';
import type { Material } from './material.ts';

/** Shares of 10,000: what a check costs the service decides how often it can be tried. */
export function categoriesOf(material: Material): readonly Category[] {
  return [
    identity(material, 2000),
    replays(material, 200),
    sessions(material, 1000),
    challenges(material, 400),
    cells(material, 1300),
    spellings(material, 1000),
    bodies(material, 800),
    multipart(material, 80),
    protocol(material, 600),
    python(material, 5),
    objects(material, 200),
    inference(material, 300),
    operators(material, 714),
    limits(material, 1400),
    slow(material, 1),
  ];
}
