import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { checkOwner } from '../../../state/platform/accounts/callers.ts'
import { archiveVersion } from '../../../state/platform/configuration-versions/configuration-version-machine.ts'
import {
  type ConfigurationVersion,
  createConfigurationVersion,
  type VersionTimes,
  versionWithId,
} from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { refuse } from '../../../state/platform/texts.ts'
import { statusTime } from '../../../state/platform/timestamps.ts'
import { answer, ok } from '../../http/operation.ts'
import {
  documentOf,
  failureSchema,
  inDialect,
  type Resource,
  resourceSchema,
} from '../json-api/resource.ts'
import { findModule, modulePath } from '../modules/module-scope.ts'
import { objectUrl } from '../objects/object-url.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { sourceOf } from './test-source.ts'

const type = 'configuration-versions'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

/** The schema of a version with some attributes more. */
function schemaWith(more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return resourceSchema(
    type,
    {
      'auto-queue-runs': { const: true },
      error: textOrNull,
      'error-message': textOrNull,
      source: text,
      speculative: { const: false },
      status: { enum: ['pending', 'fetching', 'uploaded', 'errored', 'archived'] },
      'status-timestamps': {
        type: 'object',
        additionalProperties: false,
        properties: {
          'fetching-at': text,
          'uploaded-at': text,
          'errored-at': text,
          'archived-at': text,
        },
      },
      'changed-files': { type: 'array', maxItems: 0 },
      provisional: { const: false },
      ...more,
    },
    {
      relationships: {
        type: 'object',
        required: ['ingress-attributes'],
        additionalProperties: false,
        properties: {
          'ingress-attributes': {
            type: 'object',
            required: ['data', 'links'],
            additionalProperties: false,
            properties: {
              data: { type: 'null' },
              links: {
                type: 'object',
                required: ['related'],
                additionalProperties: false,
                properties: { related: text },
              },
            },
          },
        },
      },
      links: {
        type: 'object',
        required: ['self'],
        additionalProperties: false,
        properties: { self: text, download: { ...text, description: 'Once it is uploaded' } },
      },
    },
  )
}

const timeNames: readonly (readonly [keyof VersionTimes, string])[] = [
  ['fetching_at', 'fetching-at'],
  ['uploaded_at', 'uploaded-at'],
  ['errored_at', 'errored-at'],
  ['archived_at', 'archived-at'],
]

/**
 * A version as a resource (2-platform.md, Configuration version). `more` are attributes that only
 * some answers have.
 */
function resourceOf(
  version: ConfigurationVersion,
  { dialect }: Pick<PlatformContext<unknown>, 'dialect'>,
  more: Readonly<Record<string, unknown>> = {},
): Resource {
  const { id, reached } = version
  const self = `/api/v2/configuration-versions/${id}`
  const timestamps = timeNames.flatMap(([key, name]) => {
    const at = reached[key]
    return at === undefined ? [] : [[name, statusTime(at)]]
  })
  return inDialect(
    {
      id,
      type,
      attributes: {
        'auto-queue-runs': true,
        error: version.error,
        'error-message': version.error_message,
        source: dialect.out('source', version.source),
        speculative: false,
        status: version.status,
        'status-timestamps': Object.fromEntries(timestamps),
        'changed-files': [],
        provisional: false,
        ...more,
      },
      relationships: {
        'ingress-attributes': { data: null, links: { related: `${self}/ingress-attributes` } },
      },
      links: {
        self,
        ...(version.status === 'uploaded' ? { download: `${self}/download` } : {}),
      },
    },
    dialect,
  )
}

/** The version that a path names; only owners see it (2-platform-decisions.md section 3). */
function findVersion({ world, caller, params }: Scope): ConfigurationVersion {
  const version = versionWithId(world, params['id'] ?? '')
  if (version === undefined) throw refuse('not-found')
  checkOwner(world, caller, version.organization)
  return version
}

const onModule = operationsOn('caller', findModule)
const onVersion = operationsOn('caller', findVersion)
const spec = '2-platform-decisions.md section 3'

/** Configuration versions for tests. */
export const configurationVersionOperations = [
  onModule({
    id: 'createTestConfigurationVersion',
    method: 'POST',
    path: `${modulePath}/test-runs/configuration-versions`,
    summary: 'Make a configuration version to upload files to.',
    spec: `2-platform.md, Configuration version; ${spec}`,
    reply: { 201: documentOf(schemaWith({ 'upload-url': text })) },
    run: ({ context }) => {
      const { world, subject, caller, header } = context
      const version = createConfigurationVersion(world, subject, {
        user: caller.user.id,
        source: sourceOf(header),
      })
      const { upload } = version
      const more = upload === null ? {} : { 'upload-url': objectUrl(context, upload) }
      return answer(201, { data: resourceOf(version, context, more) })
    },
  }),
  onVersion({
    id: 'readConfigurationVersion',
    method: 'GET',
    path: '/configuration-versions/:id',
    summary: 'Read a configuration version.',
    spec: `2-platform.md, Configuration version; ${spec}`,
    reply: { 200: documentOf(schemaWith({})) },
    run: ({ context }) => ok({ data: resourceOf(context.subject, context) }),
  }),
  onVersion({
    id: 'readIngressAttributes',
    method: 'GET',
    path: '/configuration-versions/:id/ingress-attributes',
    summary: 'Read the commit that a configuration version comes from: there is none.',
    spec,
    reply: { 404: failureSchema },
    run: () => {
      throw refuse('not-found')
    },
  }),
  onVersion({
    id: 'archiveConfigurationVersion',
    method: 'POST',
    path: '/configuration-versions/:id/actions/archive',
    summary: 'Give up the files of a configuration version.',
    spec,
    reply: { 202: null },
    run: ({ context: { world, subject } }) => {
      archiveVersion(world, subject)
      return answer(202, undefined)
    },
  }),
  onVersion({
    id: 'downloadConfigurationVersion',
    method: 'GET',
    path: '/configuration-versions/:id/download',
    summary: 'Find the files of a configuration version.',
    spec,
    reply: { 302: null },
    run: ({ context }) => {
      const { status, download } = context.subject
      if (status !== 'uploaded' || download === null) throw refuse('not-found')
      return answer(302, undefined, { headers: { location: objectUrl(context, download) } })
    },
  }),
]
