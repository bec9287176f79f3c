/** Part of JSON Schema that forms support. */
export interface FormSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, FormSchema>>
}

/** Form field: a member of an object or of a nested object. */
export interface FormField {
  /** Names of members, outermost first. */
  readonly path: readonly string[]
  readonly label: string
  readonly kind: 'flag' | 'choice' | 'number' | 'text' | 'json'
  readonly description: string
  /** Value that applies if the field is empty; undefined if the schema has no default. */
  readonly defaultValue: unknown
  /** Options of a choice field. */
  readonly options: readonly string[]
  readonly minimum: number | undefined
  readonly maximum: number | undefined
}

/** Texts that the user entered, by label of the field. */
export type FormInput = Readonly<Record<string, string>>

/**
 * Returns the fields of an object's schema. In place of a nested object, the fields of that object
 * are listed.
 */
export function fieldsOf(schema: FormSchema, path: readonly string[] = []): readonly FormField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = [...path, name]
    if (member.properties !== undefined) return fieldsOf(member, at)
    const { description = '', default: defaultValue, minimum, maximum } = member
    const label = at.join('.')
    const options = member.enum?.map(String) ?? []
    return [
      {
        path: at,
        label,
        kind: kindOf(member),
        description,
        defaultValue,
        options,
        minimum,
        maximum,
      },
    ]
  })
}

function kindOf({ type, enum: words }: FormSchema): FormField['kind'] {
  if (words !== undefined) return 'choice'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' ? 'text' : 'json'
}

/**
 * Returns the object that a form describes, without empty fields.
 *
 * @throws {Error} if a JSON field does not hold JSON
 */
export function formValue(fields: readonly FormField[], draft: FormInput): object {
  const result: Record<string, unknown> = {}
  for (const field of fields) {
    const text = draft[field.label]
    if (text === undefined || text === '') continue
    let parent = result
    for (const name of field.path.slice(0, -1)) {
      const inner: Record<string, unknown> = { ...toObject(parent[name]) }
      parent[name] = inner
      parent = inner
    }
    parent[field.path.at(-1) ?? ''] = parseField(field, text)
  }
  return result
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function parseField({ kind, label }: FormField, text: string): unknown {
  if (kind === 'flag') return text === 'true'
  if (kind === 'number') return Number(text)
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${label} is not JSON`)
  }
}
