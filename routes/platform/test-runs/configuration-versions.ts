import { bool, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import { checkOwner } from '../../../state/platform/accounts/callers.ts'
import {
  archiveVersion,
  changeVersionData,
  isDataDeleted,
} from '../../../state/platform/configuration-versions/configuration-version-machine.ts'
import {
  type ConfigurationVersion,
  createConfigurationVersion,
  versionAttributes,
  versionTimes,
  versionWithId,
} from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { checkRightOn } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { attributeRenderer, openQuery, timestampRenderer } from '../json-api/attributes.ts'
import { includesNothing, inclusionsOf } from '../json-api/include.ts'
import {
  documentOf,
  identifierOf,
  inDialect,
  type Resource,
  resourceShape,
  withExtraFields,
} from '../json-api/resource.ts'
import { findModule, modulePath } from '../modules/module-scope.ts'
import { objectUrl } from '../objects/object-url.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'
import { ingressOf, ingressShape, ingressType } from './ingress-attributes.ts'
import { requestSource } from './test-source.ts'

const type = 'configuration-versions'

const versionRenderer = attributeRenderer(versionAttributes)
const timesRenderer = timestampRenderer(versionTimes.fields)

const attributes = struct({
  ...versionRenderer.shape.fields,
  'auto-queue-runs': bool,
  speculative: bool,
  'status-timestamps': timesRenderer.shape,
  'changed-files': list(text, { maxItems: 0 }),
  provisional: bool,
})

const resourceParts = {
  relationships: struct({
    'ingress-attributes': struct({
      data: nullable(identifierOf(ingressType)),
      links: struct({ related: text }),
    }),
  }),
  links: struct({ self: text, download: described(optional(text), 'Only after the upload') }),
}

export const versionShape = resourceShape(type, attributes, resourceParts)

/** Shape of a newly created version, with its upload address. */
export const createdShape = resourceShape(
  type,
  struct({ ...attributes.fields, 'upload-url': secret(text) }),
  resourceParts,
)

/**
 * Renders a version (behaviour/platform#api-configuration-versions). `extra` holds attributes that
 * only some replies have.
 */
export function versionResource(
  version: ConfigurationVersion,
  { dialect }: Pick<PlatformContext<unknown>, 'dialect'>,
  extra: Readonly<Record<string, unknown>> = {},
): Resource {
  const { id, reached } = version
  const self = `/api/v2/configuration-versions/${id}`
  const resource: Resource = {
    id,
    type,
    attributes: {
      ...versionRenderer.render(version),
      'auto-queue-runs': version.auto_queue_runs ?? true,
      speculative: version.speculative ?? false,
      'status-timestamps': timesRenderer.render(reached),
      'changed-files': [],
      provisional: version.provisional ?? false,
      ...extra,
    },
    relationships: {
      'ingress-attributes': {
        data: version.ingress === undefined ? null : { id: version.ingress.id, type: ingressType },
        links: { related: `${self}/ingress-attributes` },
      },
    },
    links: {
      self,
      ...(version.status === 'uploaded' ? { download: `${self}/download` } : {}),
    },
  }
  return inDialect(resource, attributes, dialect)
}

/** Renders a newly created version with its upload address. */
export function createdResource(
  version: ConfigurationVersion,
  context: Pick<PlatformContext<unknown>, 'world' | 'origin' | 'dialect'>,
): Resource {
  const { upload } = version
  const resourceParts = upload === null ? {} : { 'upload-url': objectUrl(context, upload) }
  return versionResource(version, context, resourceParts)
}

/**
 * Returns a function that finds the version in the path. The function throws 404 if the files of
 * the version are deleted. For a version of a workspace, the function also throws 404 if the caller
 * lacks the given right on the workspace; for a version of a module, if the caller is not an owner.
 * The function throws 401 if the organization does not accept the caller's kind of token. See
 * behaviour/platform#workspace-configuration-versions.
 */
function findVersionFor(right: RequiredRight): (scope: Scope) => ConfigurationVersion {
  return ({ world, caller, params }) => {
    const version = requireFound(versionWithId(world, params['id'] ?? ''))
    if (isDataDeleted(version)) throw refuse('not-found')
    const workspace = workspaceWithId(world, version.module)
    if (workspace === undefined) checkOwner(world, caller, version.organization)
    else {
      checkMember(world, caller, workspace.organization)
      checkRightOn(world, caller, workspace, right)
    }
    return version
  }
}

export const versionInclusions = inclusionsOf<ConfigurationVersion>(
  { 'ingress-attributes': { find: ingressOf }, run: includesNothing },
  [ingressShape],
)

const spec = 'behaviour/platform#configuration-versions'
const apiSpec = `behaviour/platform#api-configuration-versions; ${spec}`
const createdRendering = { shape: createdShape, render: createdResource }

const onModule = operationsOn('caller', findModule, apiSpec)
const onVersion = operationsOn('caller', findVersionFor({ runs: 'read' }), spec)
const onPlannableVersion = operationsOn('caller', findVersionFor({ runs: 'plan' }), spec)

/**
 * Finds the version in the path, even if its files are deleted. Throws 404 unless the caller is an
 * owner, and 401 if the organization does not accept the caller's kind of token.
 */
function findOwnedVersion({ world, caller, params }: Scope): ConfigurationVersion {
  const version = requireFound(versionWithId(world, params['id'] ?? ''))
  checkOwner(world, caller, version.organization)
  return version
}

const onOwnedVersion = operationsOn('caller', findOwnedVersion, spec)

/** Operations on the files of a version, which owners delete and restore. */
const backingDataOperations = (
  [
    [
      'soft_delete',
      'softDeleteConfigurationVersion',
      'Delete the files of a version; they can be restored.',
    ],
    ['restore', 'restoreConfigurationVersion', 'Restore the deleted files of a version.'],
    [
      'permanently_delete',
      'deleteConfigurationVersion',
      'Delete the files of a version permanently.',
    ],
  ] as const
).map(([event, id, summary]) =>
  onOwnedVersion('POST', `/configuration-versions/:id/actions/${event}_backing_data`, {
    id,
    summary,
    failures: [400],
    reply: { 200: documentOf(versionShape) },
    run({ context }) {
      const version = changeVersionData(context.world, context.subject, event)
      return ok({ data: versionResource(version, context) })
    },
  }),
)

export const configurationVersionOperations = [
  onModule.document('POST', `${modulePath}/test-runs/configuration-versions`, createdRendering, {
    id: 'createTestConfigurationVersion',
    summary: 'Create a configuration version to upload files to.',
    run({ context }) {
      const { world, subject, caller, header } = context
      return createConfigurationVersion(world, subject, {
        user: caller.user.id,
        source: requestSource(header),
      })
    },
  }),
  onVersion('GET', '/configuration-versions/:id', {
    id: 'readConfigurationVersion',
    summary: 'Read a configuration version.',
    spec: apiSpec,
    query: openQuery(versionInclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(documentOf(versionShape), versionInclusions.shape) },
    run: ({ context, query }) => {
      return ok(
        versionInclusions.document(
          query.include,
          context,
          context.subject,
          versionResource(context.subject, context),
        ),
      )
    },
  }),
  onVersion('GET', '/configuration-versions/:id/ingress-attributes', {
    id: 'readIngressAttributes',
    summary: 'Read the commit that a configuration version comes from; 404 for uploads.',
    reply: { 200: documentOf(ingressShape) },
    run: ({ context: { subject } }) => ok({ data: requireFound(ingressOf(subject)[0]) }),
  }),
  onPlannableVersion('POST', '/configuration-versions/:id/actions/archive', {
    id: 'archiveConfigurationVersion',
    summary: 'Archive a configuration version; its files are deleted.',
    failures: [409],
    reply: { 202: null },
    run: ({ context: { world, subject } }) => {
      archiveVersion(world, subject)
      return answer(202, undefined)
    },
  }),
  onVersion('GET', '/configuration-versions/:id/download', {
    id: 'downloadConfigurationVersion',
    summary: 'Find the files of a configuration version.',
    findForTask: ({ world, params, run }) =>
      run.configuration_version === params['id'] ? versionWithId(world, params['id']) : undefined,
    reply: { 302: null },
    run: ({ context }) => {
      const { status, download } = context.subject
      if (status !== 'uploaded' || download === null) throw refuse('not-found')
      return answer(302, undefined, { headers: { location: objectUrl(context, download) } })
    },
  }),
  ...backingDataOperations,
]
