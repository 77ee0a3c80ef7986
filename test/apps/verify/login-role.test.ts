import test from 'ava';
import { roleOf } from '../../../apps/verify/login-role.ts';

test('a login reads by its role, whichever server it comes to', (t) => {
  for (const servers of ['a', 'a:5432', 'a:5432,b:5433']) {
    t.is(roleOf(`postgres://paddock_edge_login:p@${servers}/paddock`), 'paddock_edge');
    t.is(roleOf(`postgres://paddock_coordinator_login@${servers}/paddock`), 'paddock_service');
    t.is(roleOf(`postgres://paddock@${servers}/paddock`), undefined);
  }
});
