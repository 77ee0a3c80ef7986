import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../api.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { asRefused, openEpisode } from './open-episode.ts';
import type { Trajectory } from './trajectory.ts';
import { TrajectoryViewer } from './viewer.tsx';

/** A published episode by its id. */
export function Episode({ id, title }: { readonly id: string; readonly title: string }) {
  const [trajectory, setTrajectory] = useState<Trajectory>();
  const [failure, setFailure] = useState<Refused>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    setTrajectory(undefined);
    setFailure(undefined);
    openEpisode(id, gone.signal).then(setTrajectory, (error: unknown) => {
      if (!gone.signal.aborted) setFailure(asRefused(error));
    });
    return () => gone.abort();
  }, [id, round]);
  if (failure !== undefined) {
    const isAbsent = failure.code === 'ARTIFACT_NOT_FOUND';
    if (isAbsent)
      return <p class="empty">{title}: its validator stored no episode for this task.</p>;
    const onRetry = () => setRound(round + 1);
    return <Failure failure={failure} what="the episode" onRetry={onRetry} />;
  }
  if (trajectory === undefined) return <Loading what="the episode" />;
  return <TrajectoryViewer trajectory={trajectory} title={title} />;
}
