import type { Mount } from '../../state/secrets/mounts/mounts.ts'
import type { FieldSchema } from './fields.ts'
import type { Operation, PathRow, Verb } from './operation.ts'
import { isParameter, type RowBelow, segmentsOf } from './paths-below.ts'

/** Words of a dialect for neutral ones, and its names for fields. */
type Text = (neutral: string) => string

/** How verbs are sent (1-secrets.md, Conventions 3 and 5). */
const methods: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  write: 'POST, PUT',
  patch: 'PATCH',
  delete: 'DELETE',
}

/**
 * Help on a path of a mount (1-secrets.md, Conventions 6), markdown in the manner of the reference:
 * what was asked about, the route that matches, what can be done, the parameters, and the paths
 * below.
 *
 * @param request The path from the mount.
 * @param rows What serves it and what is below it.
 */
export function pathHelp(request: string, rows: readonly RowBelow[], text: Text): string {
  const exact = rows.find(({ segments }) => segments.length === 0)?.row
  const below = rows.filter(({ row }) => row !== exact)
  return [
    `Request:        ${request}`,
    ...(exact === undefined ? [] : rowHelp(exact, text)),
    ...pathList(below, text),
    '',
  ].join('\n')
}

/** Help on the root of a mount: every path of its engine. */
export function mountHelp(mount: Mount, rows: readonly RowBelow[], text: Text): string {
  const about = text(mount.description) || `Engine of the type ${mount.type}.`
  return ['## DESCRIPTION', '', about, ...pathList(rows, text), ''].join('\n')
}

/** Help on what is no mount but has mounts below it, such as `auth`. */
export function mountsHelp(mounts: readonly Mount[], text: Text): string {
  const entries = mounts.flatMap(({ path, type, description }) => [
    `    ${path}`,
    `        ${description === '' ? type : `${text(description)} (${type})`}`,
    '',
  ])
  return ['## PATHS', '', 'These engines and methods are mounted here.', '', ...entries].join('\n')
}

/** A pattern as help and documents write it: `roles/{name}`. */
export function routeText(segments: readonly string[]): string {
  return segments
    .map((segment) => (isParameter(segment) ? `{${segment.slice(1)}}` : segment))
    .join('/')
}

function rowHelp(row: PathRow, text: Text): string[] {
  const parameters = parametersOf(row, text)
  return [
    `Matching Route: ${routeText(segmentsOf(row.pattern))}`,
    '',
    '## DESCRIPTION',
    '',
    ...operationLines(row, text).map((line) => `    ${line}`),
    '',
    `Specified in ${row.spec}.`,
    ...(parameters.length === 0 ? [] : ['', '## PARAMETERS', '', ...parameters]),
  ]
}

function pathList(rows: readonly RowBelow[], text: Text): string[] {
  if (rows.length === 0) return []
  const entries = rows.map(({ row, segments }) => {
    const lines = operationLines(row, text).map((line) => `        ${line}`)
    return [`    ${routeText(segments)}`, ...lines].join('\n')
  })
  return ['', '## PATHS', '', 'Help on any of these paths says more.', '', entries.join('\n\n')]
}

function operationLines({ operations }: PathRow, text: Text): string[] {
  return verbsOf(operations).map(([verb, { summary }]) => `${methods[verb]}: ${text(summary)}`)
}

function parametersOf({ pattern, operations }: PathRow, text: Text): string[] {
  const inPath = segmentsOf(pattern).filter(isParameter)
  const names = new Set(inPath.map((segment) => segment.slice(1)))
  const fields = new Map<string, { field: FieldSchema; usedBy: string[] }>()
  for (const [verb, { fields: declared = {} }] of verbsOf(operations)) {
    for (const [name, field] of Object.entries(declared)) {
      const known = fields.get(name)
      if (known !== undefined) known.usedBy.push(methods[verb])
      else if (!names.has(name)) fields.set(name, { field, usedBy: [methods[verb]] })
    }
  }
  const anyVerbs = verbsOf(operations).filter(
    ([verb, { anyFields }]) => anyFields === true && (verb === 'write' || verb === 'patch'),
  )
  const pathEntries = inPath.map((segment) =>
    entry(
      segment.slice(1),
      ['string', 'in the path'],
      segment.startsWith('*')
        ? 'The rest of the path; it may hold slashes'
        : 'One name of the path',
    ),
  )
  const fieldEntries = [...fields].map(([name, { field, usedBy }]) =>
    entry(text(name), traitsOf(field), `${text(field.description)} (${usedBy.join(', ')})`),
  )
  const anyEntries = anyVerbs.map(([verb]) =>
    entry('*', ['any'], `Any further keys (${methods[verb]})`),
  )
  return [[...pathEntries, ...fieldEntries, ...anyEntries].join('\n\n')].filter((all) => all !== '')
}

function entry(name: string, traits: readonly string[], description: string): string {
  return `    ${name} (${traits.join(', ')})\n        ${description}`
}

function traitsOf(field: FieldSchema): string[] {
  const traits = [typeOf(field)]
  if (field.required === true) traits.push('required')
  if (field.default !== undefined) traits.push(`default ${JSON.stringify(field.default)}`)
  return traits
}

function typeOf(field: FieldSchema): string {
  if (field.type === 'integer') return field.format === undefined ? 'integer' : 'duration'
  if (field.type === 'object') return field.format === 'key-value' ? 'map of strings' : 'map'
  if (field.type === 'array')
    return field.items === undefined ? 'list' : `list of ${field.items.type}s`
  return field.type
}

/** The operations of a path, which `Object.entries` forgets the verbs of. */
function verbsOf(operations: PathRow['operations']): [Verb, Operation][] {
  const verbs: [Verb, Operation][] = []
  for (const verb of allVerbs) {
    const operation = operations[verb]
    if (operation !== undefined) verbs.push([verb, operation])
  }
  return verbs
}

const allVerbs: readonly Verb[] = ['read', 'list', 'write', 'patch', 'delete']
