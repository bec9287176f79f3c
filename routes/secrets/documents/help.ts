import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { type FieldInfo, fieldInfo } from '../fields/fields.ts'
import type { SecretsOperation, SecretsRoute, Verb } from '../operation.ts'
import { isParameter, type RouteBelow, segmentsOf } from './paths-below.ts'

/** Function that returns the dialect's name of a declared field. */
type FieldName = (neutral: string) => string

/** HTTP methods of verbs, as help texts list them. */
const methods: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  write: 'POST, PUT',
  patch: 'PATCH',
  delete: 'DELETE',
}

/**
 * Returns help about a path of a mount (behaviour/secrets#api-help) in Markdown, as in the
 * reference: the request, the matching route, the operations, the parameters, and the paths below.
 *
 * @param request path relative to the mount
 * @param routes routes that serve the path, and routes below it
 */
export function pathHelp(
  request: string,
  routes: readonly RouteBelow[],
  fieldName: FieldName,
): string {
  const exact = routes.find(({ segments }) => segments.length === 0)?.route
  const below = routes.filter(({ route }) => route !== exact)
  return [
    `Request:        ${request}`,
    ...(exact === undefined ? [] : routeHelp(exact, fieldName)),
    ...pathList(below),
    '',
  ].join('\n')
}

/** Returns help about the root of a mount: its description and every path of its engine. */
export function mountHelp(mount: Mount, routes: readonly RouteBelow[]): string {
  const about = mount.description || `Engine of the type ${mount.type}.`
  return ['## DESCRIPTION', '', about, ...pathList(routes), ''].join('\n')
}

/** Returns help about a path above mounts, such as `auth`. */
export function mountsHelp(mounts: readonly Mount[]): string {
  const entries = mounts.flatMap(({ path, type, description }) => [
    `    ${path}`,
    `        ${description === '' ? type : `${description} (${type})`}`,
    '',
  ])
  return ['## PATHS', '', 'These engines and methods are mounted here.', '', ...entries].join('\n')
}

/** Formats a route pattern for help texts and documents: `roles/{name}`. */
export function routeText(segments: readonly string[]): string {
  return segments
    .map((segment) => (isParameter(segment) ? `{${segment.slice(1)}}` : segment))
    .join('/')
}

function routeHelp(route: SecretsRoute, fieldName: FieldName): string[] {
  const parameters = parametersOf(route, fieldName)
  return [
    `Matching Route: ${routeText(segmentsOf(route.path))}`,
    '',
    '## DESCRIPTION',
    '',
    ...operationLines(route).map((line) => `    ${line}`),
    '',
    `Specified in ${route.first.spec}.`,
    ...(parameters.length === 0 ? [] : ['', '## PARAMETERS', '', ...parameters]),
  ]
}

function pathList(routes: readonly RouteBelow[]): string[] {
  if (routes.length === 0) return []
  const entries = routes.map(({ route, segments }) => {
    const lines = operationLines(route).map((line) => `        ${line}`)
    return [`    ${routeText(segments)}`, ...lines].join('\n')
  })
  return ['', '## PATHS', '', 'The help of each path describes the path.', '', entries.join('\n\n')]
}

function operationLines(route: SecretsRoute): string[] {
  return operationsOf(route).map(({ verb, summary }) => `${methods[verb]}: ${summary}`)
}

function parametersOf(route: SecretsRoute, fieldName: FieldName): string[] {
  const operations = operationsOf(route)
  const pathParameterNames = segmentsOf(route.path).filter(isParameter)
  const names = new Set(pathParameterNames.map((segment) => segment.slice(1)))
  const fields = new Map<string, { field: FieldInfo; usedBy: string[] }>()
  for (const { verb, fields: declared } of operations) {
    for (const [name, field] of Object.entries(declared)) {
      const known = fields.get(name)
      if (known !== undefined) known.usedBy.push(methods[verb])
      else if (!names.has(name))
        fields.set(name, { field: fieldInfo(field), usedBy: [methods[verb]] })
    }
  }
  const anyWrites = operations.filter(
    ({ verb, acceptsUnknownFields }) =>
      acceptsUnknownFields === true && (verb === 'write' || verb === 'patch'),
  )
  const pathEntries = pathParameterNames.map((segment) =>
    entry(
      segment.slice(1),
      ['string', 'in the path'],
      segment.startsWith('*')
        ? 'The rest of the path; it may hold slashes'
        : 'One name of the path',
    ),
  )
  const fieldEntries = [...fields].map(([name, { field, usedBy }]) =>
    entry(fieldName(name), traitsOf(field), `${field.description} (${usedBy.join(', ')})`),
  )
  const anyEntries = anyWrites.map(({ verb }) =>
    entry('*', ['any'], `Any further keys (${methods[verb]})`),
  )
  return [[...pathEntries, ...fieldEntries, ...anyEntries].join('\n\n')].filter((all) => all !== '')
}

function entry(name: string, traits: readonly string[], description: string): string {
  return `    ${name} (${traits.join(', ')})\n        ${description}`
}

function traitsOf(field: FieldInfo): string[] {
  const traits = [typeOf(field.shape)]
  if (field.required) traits.push('required')
  if (field.default !== undefined) traits.push(`default ${JSON.stringify(field.default)}`)
  return traits
}

function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return 'string'
    case 'bool':
      return 'boolean'
    case 'int':
      return shape.format === undefined ? 'integer' : 'duration'
    case 'map':
      return shape.of.kind === 'text' ? 'map of strings' : 'map'
    case 'list':
      return shape.of.kind === 'any' ? 'list' : `list of ${typeOf(shape.of)}s`
    default:
      return shape.kind
  }
}

/** Returns the operations of a route in the order in which help texts list them. */
function operationsOf({ operations }: SecretsRoute): SecretsOperation[] {
  return allVerbs.flatMap((verb) => operations.get(verb) ?? [])
}

const allVerbs: readonly Verb[] = ['read', 'list', 'write', 'patch', 'delete']
