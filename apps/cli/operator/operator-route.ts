/** A route of operators, as far as a command line needs to know it. */
export interface OperatorRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly says: string;
  readonly fields: readonly OperatorField[];
  /** `file`: the body is a file as it is. */
  readonly body: 'file' | 'json' | 'none';
  /** A repeat under one key is carried out once. */
  readonly takesKey: boolean;
}

export interface OperatorField {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  /** How its text on the line is read; `json` is what no plain value is. */
  readonly type: 'text' | 'number' | 'boolean' | 'json';
  readonly isRequired: boolean;
  readonly says?: string;
  readonly among?: readonly string[];
}
