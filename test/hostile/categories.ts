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
    replays(material, 300),
    sessions(material, 1200),
    challenges(material, 500),
    cells(material, 1500),
    spellings(material, 1200),
    bodies(material, 800),
    multipart(material, 100),
    protocol(material, 600),
    python(material, 5),
    objects(material, 200),
    inference(material, 300),
    operators(material, 900),
    limits(material, 394),
    slow(material, 1),
  ];
}
