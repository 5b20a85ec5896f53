/** `{[field]: value}` when the flag was given, else nothing: options that are absent stay absent. */
export function given<Field extends string, Value>(field: Field, value: Value | undefined): Partial<Record<Field, Value>> {
  return value === undefined ? {} : ({ [field]: value } as Record<Field, Value>);
}
