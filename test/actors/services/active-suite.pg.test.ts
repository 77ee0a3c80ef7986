import test from 'ava';
import { openOperatorDesk } from '../../support/operator-desk.ts';

test('a suite that is active is not activated anew: a reign, a race and a queue would end by it', async (t) => {
  const { admin, service, command, suite } = await openOperatorDesk(t);
  const asked = { documentSha256: suite(), reason: null };
  const { suiteId } = await service['create-suite'](asked, command());
  const activatedAt = async () => {
    await service['activate-suite']({ suiteId, reason: null }, command());
    const [row] = await admin<{ at: string }[]>`
      select activated_at::text as at from suite where is_active`;
    return row?.at;
  };
  const first = await activatedAt();
  t.truthy(first);
  t.is(await activatedAt(), first);
});
