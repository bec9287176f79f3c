import { any, int, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, secret } from '../../../state/kernel/shape/members.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import { versionWithId } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import { changeBackingData } from '../../../state/platform/states/state-machine.ts'
import {
  currentStateVersion,
  outputsOf,
  type StateVersion,
  stateVersionsOf,
} from '../../../state/platform/states/state-versions.ts'
import { rollBackState, uploadStateVersion } from '../../../state/platform/states/upload-rules.ts'
import { checkRightOn } from '../../../state/platform/workspaces/rights.ts'
import { workspaceNamed } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { userResource, userShape } from '../accounts/users.ts'
import {
  inState,
  openQuery,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, withExtraFields } from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'
import { runResource, runShape } from '../runs/run-resource.ts'
import { versionResource, versionShape } from '../test-runs/configuration-versions.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { findOwnedStateVersion, findStateVersionFor } from './state-scopes.ts'
import {
  outputResource,
  outputShape,
  stateVersionResource,
  stateVersionShape,
  stateVersionType,
} from './state-version-resource.ts'

/** Returns the run that made a state version; undefined if no run made it. */
function runOf({ run }: StateVersion, { world }: Pick<PlatformContext<unknown>, 'world'>) {
  return run === null ? undefined : runWithId(world, run)
}

const inclusions = inclusionsOf<StateVersion>(
  {
    'created-by': {
      find({ created_by }, { world, caller }) {
        const user = world.table(users).get(created_by)
        return user === undefined ? [] : [userResource(world, user, caller)]
      },
    },
    run: {
      find(version, context) {
        const run = runOf(version, context)
        return run === undefined ? [] : [runResource(run, context)]
      },
    },
    'run.created-by': {
      find(version, { world, caller }) {
        const user = world.table(users).get(runOf(version, { world })?.created_by ?? '')
        return user === undefined ? [] : [userResource(world, user, caller)]
      },
    },
    'run.configuration-version': {
      find(version, context) {
        const id = runOf(version, context)?.configuration_version
        const found = id === undefined ? undefined : versionWithId(context.world, id)
        return found === undefined ? [] : [versionResource(found, context)]
      },
    },
    outputs: {
      find: (version, { world }) => outputsOf(world, version).map((one) => outputResource(one)),
    },
  },
  [stateVersionShape, userShape, outputShape, runShape, versionShape],
)

const listQuery = openQuery({
  ...inclusions.query,
  'filter[workspace][name]': described(text, 'Name of the workspace; required'),
  'filter[organization][name]': described(text, 'Name of the organization; required'),
  'filter[status]': described(text, 'Comma-separated statuses'),
})

const defaultStatuses: readonly string[] = ['pending', 'finalized', 'discarded']

/**
 * Returns the state versions of the workspace that the query names. If the query has no statuses,
 * the default statuses apply. Throws 400 if the query lacks the name of the workspace or of its
 * organization. Throws 404 if the workspace does not exist or the caller may not read its states,
 * and 401 if the organization does not accept the caller's kind of token.
 */
function matchingVersions(
  query: {
    readonly 'filter[workspace][name]'?: string
    readonly 'filter[organization][name]'?: string
    readonly 'filter[status]'?: string
  },
  { world, caller }: PlatformContext<unknown>,
): StateVersion[] {
  const required = (parameter: 'filter[workspace][name]' | 'filter[organization][name]') => {
    const value = query[parameter]
    if (value === undefined || value === '') throw refuse('filter-required', { parameter })
    return value
  }
  const name = required('filter[workspace][name]')
  const organization = required('filter[organization][name]')
  const workspace = requireFound(workspaceNamed(world, organization, name))
  checkMember(world, caller, organization)
  checkRightOn(world, caller, workspace, { state: 'read' })
  const statuses = query['filter[status]']?.split(',') ?? defaultStatuses
  return stateVersionsOf(world, workspace.id).filter(({ status }) => statuses.includes(status))
}

const file = secret(described(strictText, 'Base64'))

const stateInput = optionalMembers({
  serial: nullable(union(int)),
  md5: strictText,
  lineage: strictText,
  state: file,
  'json-state': file,
  'json-state-outputs': file,
  force: strictFlag,
})

const spec = 'behaviour/platform#state-versions'
const uploadSpec = 'behaviour/platform#state-uploads'
const onNoSubject = operationsOn('caller', () => undefined, spec)
const onReadableWorkspace = operationsOn('caller', findWorkspaceFor({ state: 'read' }), spec)
const onWritableWorkspace = operationsOn('caller', findWorkspaceFor({ state: 'write' }), uploadSpec)
const onVersion = operationsOn('caller', findStateVersionFor({ state: 'read' }), spec)
const onOwnedVersion = operationsOn('caller', findOwnedStateVersion, spec)

const listPath = '/workspaces/:workspace_id/state-versions'
const onePath = '/state-versions/:state_version_id'
const document = documentOf(stateVersionShape)
const readReply = { 200: withExtraFields(document, inclusions.shape) }
const query = openQuery(inclusions.query)

/**
 * Returns the reply with a state version and the resources that `include` names. Throws 400 if
 * `include` contains an unknown name.
 */
function documentWith(
  version: StateVersion,
  include: string | undefined,
  context: PlatformContext<unknown>,
) {
  return ok(inclusions.document(include, context, version, stateVersionResource(version, context)))
}

/** Operations on the files of a state version, which owners delete and restore. */
const backingDataOperations = (
  [
    [
      'soft_delete',
      'softDeleteStateVersion',
      'Delete the files of a state version; they can be restored.',
    ],
    ['restore', 'restoreStateVersion', 'Restore the deleted files of a state version.'],
    [
      'permanently_delete',
      'deleteStateVersion',
      'Delete the files of a state version permanently.',
    ],
  ] as const
).map(([event, id, summary]) =>
  onOwnedVersion('POST', `${onePath}/actions/${event}_backing_data`, {
    id,
    summary,
    failures: [400],
    reply: { 200: document },
    run({ context }) {
      const version = changeBackingData(context.world, context.subject, event)
      return ok({ data: stateVersionResource(version, context) })
    },
  }),
)

/** Operations that return the address of a file of a state version. */
const downloadOperations = (
  [
    ['download', 'downloadStateVersion', 'Find the state file of a state version.'],
    ['json_download', 'downloadJsonStateVersion', 'Find the JSON state of a state version.'],
  ] as const
).map(([member, id, summary]) =>
  onVersion('GET', `${onePath}/${member === 'download' ? 'download' : 'json-download'}`, {
    id,
    summary,
    reply: { 302: null },
    run({ context }) {
      const { status, [member]: object } = context.subject
      if (status !== 'finalized' || object === null) throw refuse('not-found')
      return answer(302, undefined, { headers: { location: objectUrl(context, object) } })
    },
  }),
)

export const stateVersionOperations = [
  onWritableWorkspace('POST', listPath, {
    id: 'createStateVersion',
    summary: 'Add a state version to a workspace that the caller has locked.',
    body: { type: stateVersionType, attributes: stateInput },
    failures: [409, 412],
    reply: { 201: document },
    run({ context, body }) {
      const { world, caller, subject, dialect } = context
      const { attributes, relationships } = body()
      const authority = dialect.toWire('authority', 'the platform')
      const run = relatedId(relationships, 'run')
      const input = { ...inState(attributes), run }
      const version = uploadStateVersion(world, caller, subject, input, authority)
      return answer(201, { data: stateVersionResource(version, context, { isNew: true }) })
    },
  }),
  onWritableWorkspace('PATCH', listPath, {
    id: 'rollBackStateVersion',
    summary: 'Add a state version that repeats an older one.',
    body: { type: stateVersionType, attributes: optionalMembers({ ignored: any }) },
    failures: [409],
    reply: { 201: document },
    run({ context, body }) {
      const { world, caller, subject } = context
      const id = relatedId(body().relationships, 'rollback-state-version')
      if (id === undefined) throw refuse('id-missing')
      const version = rollBackState(world, caller, subject, id)
      return answer(201, { data: stateVersionResource(version, context) })
    },
  }),
  onReadableWorkspace('GET', '/workspaces/:workspace_id/current-state-version', {
    id: 'readCurrentStateVersion',
    summary: 'Read the current state version of a workspace.',
    query,
    failures: [400],
    reply: readReply,
    run({ context, query: { include } }) {
      const version = requireFound(currentStateVersion(context.world, context.subject.id))
      return documentWith(version, include, context)
    },
  }),
  onNoSubject('GET', '/state-versions', {
    id: 'listStateVersions',
    summary: 'List the state versions of the workspace that the query names, newest first.',
    query: listQuery,
    failures: [400, 404],
    reply: { 200: withExtraFields(listOf(stateVersionShape), inclusions.shape) },
    run({ context, query: filters }) {
      const included = inclusions.read(filters.include, context)
      const render = (one: StateVersion) => included.add(one, stateVersionResource(one, context))
      const page = pageOf(matchingVersions(filters, context), render, context.address)
      return ok({ ...page, ...included.members() })
    },
  }),
  onVersion('GET', onePath, {
    id: 'readStateVersion',
    summary: 'Read a state version.',
    query,
    failures: [400],
    reply: readReply,
    run: ({ context, query: { include } }) => documentWith(context.subject, include, context),
  }),
  ...downloadOperations,
  ...backingDataOperations,
]
