import type { ComponentChild, JSX } from "preact";

/** A plain table; a cell may hold a button. */
export interface TableProps {
  readonly label: string;
  readonly empty: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChild[])[];
}

/** A list as a table, in a box of its own that scrolls on narrow screens. */
export function Table({ label, empty, head, rows }: TableProps): JSX.Element {
  if (rows.length === 0) return <p class="empty small">{empty}</p>;
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name === "" ? <span class="spoken">action</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={head[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
