import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row, index: number) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isMinor?: boolean;
  /** Names the row. */
  readonly isHead?: boolean;
}

export interface TableProps<Row> {
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly mark?: (row: Row) => string | undefined;
}

/** A table that scrolls sideways by itself where the screen is too narrow for it. */
export function Table<Row>(props: TableProps<Row>): VNode {
  const { caption, columns, rows, keyOf, mark } = props;
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section class="table-box" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id} class={props.isCaptionHidden === true ? 'unseen' : undefined}>
          {caption}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row)} class={mark?.(row)}>
              {columns.map((column) => cellOf(column, row, index))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function cellOf<Row>(column: Column<Row>, row: Row, index: number): VNode {
  const content = column.cell(row, index);
  if (column.isHead !== true) {
    return (
      <td key={column.title} class={classOf(column)}>
        {content}
      </td>
    );
  }
  return (
    <th key={column.title} scope="row" class={classOf(column)}>
      {content}
    </th>
  );
}

function classOf<Row>({ isNumber, isMinor }: Column<Row>): string {
  return [isNumber === true ? 'number' : '', isMinor === true ? 'minor' : ''].join(' ').trim();
}
