import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { countText, sizeText } from '../format.ts';
import { announce } from '../parts/announcer.tsx';
import type { Trajectory } from './trajectory.ts';

const rowPx = 28;
/** Browsers draw nothing beyond some 30 million; longer lists scroll in larger steps. */
const listPxMax = 8_000_000;
const pageRows = 15;

/** Draws the records in view of however many there are, and the chosen one whole. */
export function TrajectoryViewer({
  trajectory,
  title,
}: {
  readonly trajectory: Trajectory;
  readonly title: string;
}) {
  const [, setRound] = useState(0);
  const [chosen, setChosen] = useChosen(trajectory);
  useEffect(() => {
    const look = () => setRound((before) => before + 1);
    // A short one is whole before anybody watches.
    look();
    return trajectory.watch(look);
  }, [trajectory]);
  const { count, byteCount, totalBytes, state } = trajectory;
  const onNextFailure = async () => {
    const found = await trajectory.nextFailure(chosen);
    if (found === undefined) announce('No record of this episode says that it failed.');
    else setChosen(found);
  };
  return (
    <section class="viewer" aria-label={title} data-state={state}>
      <header>
        <h3>{title}</h3>
        <p class="muted" role="status">
          {countText(count)} records, {sizeText(byteCount)}
          {state === 'reading' && totalBytes !== undefined && ` of ${sizeText(totalBytes)} so far`}
          {state === 'broken' && '; the rest could not be read'}
        </p>
        <button type="button" onClick={() => void onNextFailure()} disabled={count === 0}>
          Next failure
        </button>
      </header>
      {count === 0 ? (
        <p class="empty">{state === 'reading' ? 'Reading …' : 'The episode is empty.'}</p>
      ) : (
        <>
          <RecordList trajectory={trajectory} chosen={chosen} onChoose={setChosen} title={title} />
          <RecordDetail trajectory={trajectory} index={chosen} title={title} />
        </>
      )}
    </section>
  );
}

/** Once records are others than before, what was chosen of them is within the first. */
function useChosen(trajectory: Trajectory) {
  const [{ of, index }, setChosen] = useState({ of: trajectory.generation, index: 0 });
  // A failure may be found after the rows were drawn that it was looked for from.
  const choose = (chosen: number) => setChosen({ of: trajectory.generation, index: chosen });
  return [of === trajectory.generation ? index : 0, choose] as const;
}

interface ListProps {
  readonly trajectory: Trajectory;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly title: string;
}

function RecordList({ trajectory, chosen, onChoose, title }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [scrollTop, setScrollTop] = useState(0);
  const { count } = trajectory;
  const heightPx = Math.min(count * rowPx, listPxMax);
  const viewPx = box.current?.clientHeight ?? 320;
  const inView = Math.ceil(viewPx / rowPx) + 1;
  const share = heightPx <= viewPx ? 0 : scrollTop / (heightPx - viewPx);
  const first = Math.max(0, Math.round(share * Math.max(0, count - Math.floor(viewPx / rowPx))));
  const indexes = Array.from({ length: Math.min(inView, count - first) }, (_, at) => first + at);
  useEffect(() => {
    const isSeen = chosen >= first && chosen < first + inView - 1;
    const last = Math.max(1, count - Math.floor(viewPx / rowPx));
    if (!isSeen) box.current?.scrollTo({ top: (chosen / last) * (heightPx - viewPx) });
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, chosen, count);
    if (target === undefined) return;
    event.preventDefault();
    onChoose(target);
  };
  return (
    <div
      ref={box}
      class="records"
      role="listbox"
      tabIndex={0}
      aria-label={`Records of ${title}`}
      aria-activedescendant={indexes.includes(chosen) ? `${id}-${chosen}` : undefined}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: `${heightPx}px` }} role="presentation">
        <div
          style={{ transform: `translateY(${topOf(scrollTop, heightPx, viewPx)}px)` }}
          role="presentation"
        >
          {indexes.map((index) => (
            <RecordRow
              key={index}
              id={`${id}-${index}`}
              isChosen={index === chosen}
              onChoose={() => onChoose(index)}
              {...{ trajectory, index }}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The rows move with what is in view, never beyond the end. */
function topOf(scrollTop: number, heightPx: number, viewPx: number): number {
  return Math.max(0, Math.min(scrollTop, heightPx - viewPx));
}

function targetOf(key: string, chosen: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: chosen + 1,
    ArrowUp: chosen - 1,
    PageDown: chosen + pageRows,
    PageUp: chosen - pageRows,
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.min(Math.max(0, target), count - 1);
}

function RecordRow({
  trajectory,
  index,
  id,
  isChosen,
  onChoose,
}: {
  readonly trajectory: Trajectory;
  readonly index: number;
  readonly id: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { kind, failure } = trajectory.label(index);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds it listens to the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active option.
    <div
      id={id}
      class="record"
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={trajectory.count}
      onClick={onChoose}
    >
      <span class="muted">{index + 1}</span>
      {failure !== undefined && <span class="state bad">{failure}</span>}
      {kind !== '' && <strong>{kind}</strong>}
      <code>{trajectory.preview(index)}</code>
    </div>
  );
}

function RecordDetail({
  trajectory,
  index,
  title,
}: {
  readonly trajectory: Trajectory;
  readonly index: number;
  readonly title: string;
}) {
  const { text, cutBytes } = useMemo(
    () => trajectory.detail(index),
    [trajectory, trajectory.generation, index],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section class="detail" aria-label={`Record ${index + 1} of ${title}`} tabIndex={0}>
      <pre>{text}</pre>
      {cutBytes > 0 && <p class="muted">{sizeText(cutBytes)} more of this record are not shown.</p>}
    </section>
  );
}
