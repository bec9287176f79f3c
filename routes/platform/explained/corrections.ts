import { isObject } from '../../../state/kernel/objects.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Caller, isSiteAdmin } from '../../../state/platform/accounts/callers.ts'
import { apiTokens } from '../../../state/platform/accounts/tokens.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import { configurationVersions } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { modules } from '../../../state/platform/modules/modules.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import { teams } from '../../../state/platform/organizations/teams.ts'
import { projects } from '../../../state/platform/projects/projects.ts'
import { testRuns } from '../../../state/platform/test-runs/test-runs.ts'
import type { AttributeViolation, ViolationsDetail } from '../../../state/platform/violations.ts'
import { workspaces } from '../../../state/platform/workspaces/workspaces.ts'
import type {
  Amendment,
  Correction,
  ExplainedRequest,
} from '../../http/journal-hooks/api-explanations.ts'
import { fitToShape, sampleOf } from '../../http/journal-hooks/fitting-values.ts'
import { mediaType } from '../json-api/resource.ts'
import type { PlatformOperation } from '../operation.ts'

type Correct = (request: ExplainedRequest) => Correction | undefined

/**
 * Returns a request that avoids a refusal of the platform API; undefined if no such request is
 * known.
 */
export function correct(request: ExplainedRequest, rule: string): Correction | undefined {
  const found = corrections[rule]
  if (found !== undefined) return found(request)
  return rule.endsWith('-unknown') && request.status === 404
    ? askForOtherObject(request)
    : undefined
}

/**
 * Returns a correction that sends the request with the token of a site admin, who may see and do
 * everything; undefined if no site admin has a token.
 */
const withAdminToken: Correct = (request) => {
  const headers = adminHeaders(request)
  return headers && { request: { headers } }
}

function adminHeaders({ world, at }: ExplainedRequest): Amendment['headers'] {
  const token = [...world.table(apiTokens).rows()].find(
    ({ kind, user, expired_at }) =>
      kind === 'user' &&
      world.table(users).get(user)?.site_admin === true &&
      (expired_at ?? Infinity) > at,
  )
  return token && { authorization: `Bearer ${token.text}` }
}

/**
 * Path parameters whose objects the explanation of a 404 looks up. If this explanation has the rule
 * `hidden`, the objects exist.
 */
const checkedParameters: ReadonlySet<string> = new Set([
  'organization_name',
  'workspace_id',
  'team_id',
  'user_id',
  'project_id',
  'module_id',
  'test_run_id',
  'namespace',
  'name',
  'provider',
])

/**
 * Returns one of two corrections. If all objects of the path are known to exist and the caller is
 * known but not a site admin, the correction sends the token of a site admin; undefined if no site
 * admin has a token. Otherwise the correction lists existing objects.
 */
function revealHidden(request: ExplainedRequest): Correction | undefined {
  const names = [...(request.operation?.path ?? '').matchAll(/:(\w+)/g)].map(([, name]) => name)
  const isKnown = names.every((name) => checkedParameters.has(name ?? ''))
  const caller = request.caller as Caller | undefined
  return isKnown && caller !== undefined && !isSiteAdmin(caller)
    ? withAdminToken(request)
    : readList(request)
}

/**
 * Returns a correction that sends a token of another kind, such as a team's token, because the
 * request is refused with a user's token. Returns undefined if there is no such token.
 */
const withNonUserToken: Correct = ({ world, at }) => {
  const token = [...world.table(apiTokens).rows()].find(
    ({ kind, expired_at }) => kind !== 'user' && (expired_at ?? Infinity) > at,
  )
  return token && { request: { headers: { authorization: `Bearer ${token.text}` } } }
}

/**
 * Returns a correction that reads a path without query parameters, with the token of a site admin
 * if there is one.
 */
function read(request: ExplainedRequest, path: string, change: string): Correction {
  const query = Object.fromEntries(Object.keys(request.query).map((name) => [name, undefined]))
  return { change, request: { method: 'GET', path, query, headers: { ...adminHeaders(request) } } }
}

/**
 * Functions that return the id of an existing object, by prefix of ids. An object with the given
 * name takes precedence.
 */
const idsByPrefix: Readonly<Record<string, (world: World, name: string) => string | undefined>> = {
  ws: (world, name) => byName(world.table(workspaces).rows(), name)?.id,
  team: (world, name) => byName(world.table(teams).rows(), name)?.id,
  user: (world, name) =>
    byName(
      [...world.table(users).rows()].map((row) => ({ ...row, name: row.username })),
      name,
    )?.id,
  prj: (world, name) => byName(world.table(projects).rows(), name)?.id,
  mod: (world, name) => byName(world.table(modules).rows(), name)?.id,
  trun: (world) => [...world.table(testRuns).rows()][0]?.id,
  cv: (world) => [...world.table(configurationVersions).rows()][0]?.id,
}

function byName<T extends { readonly name: string }>(rows: Iterable<T>, name: string) {
  const all = [...rows]
  return all.find((row) => row.name === name) ?? all[0]
}

/** Prefixes of ids, by the path segment that precedes the id. */
const prefixBySegment: Readonly<Record<string, string>> = {
  workspaces: 'ws',
  teams: 'team',
  users: 'user',
  projects: 'prj',
  'registry-modules': 'mod',
  'test-runs': 'trun',
  'configuration-versions': 'cv',
}

/**
 * Returns a correction that replaces the id in the path with the id of another object of the same
 * kind. If no other object is found, the correction reads a list.
 */
const askForOtherObject: Correct = (request) => {
  const { world, path } = request
  const parts = path.split('/')
  const at = parts.findLastIndex((part, index) => part in prefixBySegment && parts[index + 1])
  const [kind = '', sent = ''] = parts.slice(at, at + 2)
  // Paths below an organization identify workspaces, teams and projects by name.
  const isByName = at > 0 && parts[at - 2] === 'organizations'
  const id = isByName
    ? undefined
    : idsByPrefix[prefixBySegment[kind] ?? '']?.(world, decodeURI(sent))
  if (id !== undefined && id !== sent) {
    const to = [...parts.slice(0, at + 1), id, ...parts.slice(at + 2)].join('/')
    return { change: `Use ${id}`, request: { path: to, headers: { ...adminHeaders(request) } } }
  }
  return readList(request)
}

/**
 * Returns a correction that reads the list of the last kind of object in the path, or the list of
 * organizations.
 */
const readList: Correct = (request) => {
  const { world, path } = request
  const [, sentName = ''] = /\/organizations\/([^/]+)/.exec(path) ?? []
  const all = world.table(organizations)
  const organization = all.has(sentName) ? sentName : [...all.rows()][0]?.name
  const kinds = ['workspaces', 'teams', 'projects', 'registry-modules']
  const kind = path.split('/').findLast((part) => kinds.includes(part))
  const list =
    organization === undefined || kind === undefined || !all.has(sentName || (organization ?? ''))
      ? '/api/v2/organizations'
      : `/api/v2/organizations/${organization}/${kind}`
  return read(request, list, `Look up the names with GET ${list}`)
}

/**
 * Returns a function that corrects a request by sending another action first, such as `lock` before
 * `unlock`.
 */
function sendAction(action: string): Correct {
  return (request) => {
    const path = request.path.slice(0, request.path.lastIndexOf('/') + 1) + action
    return {
      change: `Send ${action} first`,
      request: { path, headers: { ...adminHeaders(request) } },
    }
  }
}

/**
 * Returns a correction that sends a document with the resource type and, if the operation accepts a
 * name, a new name. For an operation on a list, the document has an empty list.
 */
const sendDocument: Correct = ({ world, operation }) => {
  const { form, identifiers, items } = { ...(operation as PlatformOperation | undefined) }
  const headers = { 'content-type': mediaType }
  if ((identifiers ?? items) !== undefined)
    return { request: { headers, body: () => ({ data: [] }) } }
  const type = form?.type === undefined ? {} : { type: form.type }
  const shape = form?.attributesInWorld?.(world) ?? form?.attributes
  const attributes = shape !== undefined && Object.hasOwn(shape.fields, 'name') ? newName : {}
  return { request: { headers, body: () => ({ data: { ...type, attributes } }) } }
}

const newName = { name: 'example' }

/** Returns a correction that replaces the attributes that break a rule, or leaves them out. */
const correctAttributes: Correct = ({ world, operation, refusal, method }) => {
  const { form } = { ...(operation as PlatformOperation | undefined) }
  const { attributes = [] }: ViolationsDetail = { ...refusal?.detail }
  const shape = form?.attributesInWorld?.(world) ?? form?.attributes
  return {
    request: {
      body: (body) => {
        const data = Object(Object(body)['data'])
        const sent = isObject(data['attributes']) ? data['attributes'] : {}
        const corrected = attributes.reduce<Readonly<Record<string, unknown>>>(
          (attributesSoFar, violation) => {
            const [name = ''] = violation.attribute.split('/')
            const member = shape?.fields[name.replaceAll('-', '_')] ?? shape?.fields[name]
            const {
              [name]: value,
              [causingAttributes[name] ?? '']: _cause,
              ...others
            } = attributesSoFar
            // PATCH may leave any attribute out.
            const correctedValue =
              method === 'PATCH' ? undefined : correctValue(value, violation, member?.shape)
            return correctedValue === undefined ? others : { ...others, [name]: correctedValue }
          },
          sent,
        )
        return { ...Object(body), data: { ...data, attributes: corrected } }
      },
    },
  }
}

/**
 * Attributes that cause a violation that is reported for another attribute, by the reported
 * attribute. Corrections leave out the attribute that is the cause.
 */
const causingAttributes: Readonly<Record<string, string>> = {
  'agent-pool': 'execution-mode',
  'infra-version': 'terraform-version',
}

/** Returns a value that obeys the rule of a violation; undefined to leave the attribute out. */
function correctValue(
  value: unknown,
  { attribute, rule, params }: AttributeViolation,
  shape: Shape | undefined,
): unknown {
  const sample = shape === undefined ? 'example' : sampleOf(shape)
  const limit = Number(params['limit'])
  switch (rule) {
    case 'taken':
      return `${value}-2`
    case 'too-long':
      return String(value).slice(0, limit)
    case 'too-short':
      return String(value).padEnd(limit, '-')
    case 'too-small':
    case 'too-great':
      return limit
    case 'not-positive':
      return 1
    case 'blank':
    case 'invalid':
    case 'name-characters':
      if (attribute === 'email') return 'example@example.com'
      if (attribute === 'name' || rule === 'blank') return nameLike(value) || sample
      return undefined
    case 'not-listed':
      return shape?.kind === 'word' ? sample : undefined
    case 'no-text':
    case 'no-flag':
    case 'no-number':
    case 'no-integer':
    case 'no-list':
      return shape === undefined ? undefined : fitToShape(value, shape)
    default:
      return undefined
  }
}

function nameLike(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/[^\w-]+/g, '-') : ''
}

/**
 * Returns a correction that sends the state with `force`, which skips the comparison with the
 * current state.
 */
const sendForced: Correct = () => ({
  change: 'Send a state that follows the current one, or send force',
  request: {
    body: (body) => {
      const data = Object(Object(body)['data'])
      const attributes = { ...Object(data['attributes']), force: true }
      return { ...Object(body), data: { ...data, attributes } }
    },
  },
})

/** Corrections by the rule that an explanation names. */
const corrections: Readonly<Record<string, Correct>> = {
  'token-missing': withAdminToken,
  'token-scheme-wrong': withAdminToken,
  'token-unknown': withAdminToken,
  'token-expired': withAdminToken,
  'token-revoked': withAdminToken,
  'token-of-user': withNonUserToken,
  'admin-only': withAdminToken,
  'force-delete-denied': withAdminToken,
  'workspace-right-missing': withAdminToken,
  'organization-right-missing': withAdminToken,
  hidden: revealHidden,
  'wrong-kind-of-id': askForOtherObject,
  'not-found': readList,
  'related-unknown': readList,
  'organization-unknown': readList,
  'body-unreadable': sendDocument,
  'data-missing': sendDocument,
  'data-no-list': sendDocument,
  'attributes-missing': sendDocument,
  'invalid-attributes': correctAttributes,
  'already-locked': sendAction('force-unlock'),
  'already-unlocked': sendAction('lock'),
  'workspace-locked-by': sendAction('force-unlock'),
  'workspace-locked': sendAction('force-unlock'),
  'state-needs-lock': sendAction('actions/lock'),
  'state-lock-of-other': sendAction('actions/force-unlock'),
  'state-lineage-differs': sendForced,
  'state-serial-old': sendForced,
  'state-md5-differs': sendForced,
}
