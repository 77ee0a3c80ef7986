import { useEffect, useRef, useState } from 'preact/hooks';
import { openFile } from '../trajectory/open-episode.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { TrajectoryViewer } from '../trajectory/viewer.tsx';
import { useTitle } from '../use-title.ts';

/** Looks at episodes that the reader has on disk, two at most. */
export function Episodes() {
  useTitle('Episodes');
  return (
    <>
      <h1>Episodes</h1>
      <p>
        Open an episode that you downloaded, or one of your own validator: a file of JSON, of lines
        of JSON, or of text. It stays in your browser. Published ones open from the page of their
        run.
      </p>
      <div class="pair">
        <OwnEpisode title="First episode" />
        <OwnEpisode title="Second episode, to compare" />
      </div>
    </>
  );
}

function OwnEpisode({ title }: { readonly title: string }) {
  const [opened, setOpened] = useState<{
    readonly name: string;
    readonly trajectory: Trajectory;
  }>();
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const onFile = (file: File | undefined) => {
    if (file === undefined) return;
    gone.current.abort();
    gone.current = new AbortController();
    setOpened({ name: file.name, trajectory: openFile(file, gone.current.signal) });
  };
  return (
    <div>
      <label class="file">
        {title} <input type="file" onChange={(event) => onFile(event.currentTarget.files?.[0])} />
      </label>
      {opened !== undefined && (
        <TrajectoryViewer trajectory={opened.trajectory} title={opened.name} />
      )}
    </div>
  );
}
