import { int, list, text, union, word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  changeToolVersion,
  createToolVersion,
  deleteToolVersion,
  type ToolKind,
  type ToolVersion,
  toolArchive,
  toolVersionAttributes,
  toolVersionsOf,
  toolVersionWithId,
  usageOf,
} from '../../../state/platform/settings/tool-versions.ts'
import {
  attributeRenderer,
  inState,
  openQuery,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { inDialect, type Resource, resourceShape, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'

const renderer = attributeRenderer(toolVersionAttributes)
const attributes = struct({ ...renderer.shape.fields, usage: int })

const inputAttributes = optionalMembers({
  version: strictText,
  url: strictText,
  sha: strictText,
  official: strictFlag,
  enabled: strictFlag,
  beta: strictFlag,
  deprecated: strictFlag,
  'deprecated-reason': strictText,
  archs: union(list(toolArchive)),
})

/**
 * Tools, each with the path of its versions and a noun for operation ids. The versions of `infra`
 * have one path for each dialect.
 */
const tools = [
  { kind: 'infra', path: '/admin/infra-versions', noun: 'InfraVersion' },
  { kind: 'infra', path: '/admin/terraform-versions', noun: 'TerraformVersion' },
  { kind: 'opa', path: '/admin/opa-versions', noun: 'OpaVersion' },
  { kind: 'sentinel', path: '/admin/sentinel-versions', noun: 'SentinelVersion' },
] as const satisfies readonly { readonly kind: ToolKind; readonly path: string; noun: string }[]

/** Shape of the resource type of each tool. For `infra`, the type differs by dialect. */
const typeShapes = {
  infra: word({ 'infra-versions': 'terraform-versions' }),
  opa: word('opa-versions'),
  sentinel: word('sentinel-versions'),
} as const

const spec = 'behaviour/platform#tool-versions'

export const toolVersionOperations = tools.flatMap(({ kind, path, noun }) => {
  const type = `${kind}-versions`
  const shape = withExtraFields(resourceShape(type, attributes), { type: typeShapes[kind] })
  const form = { type, attributes: inputAttributes }
  const render = (version: ToolVersion, { world, dialect }: PlatformContext<unknown>): Resource => {
    const values = { ...renderer.render(version), usage: usageOf(world, version) }
    return inDialect({ id: version.id, type, attributes: values }, attributes, dialect)
  }
  const rendering = { shape, render }
  const onNoSubject = operationsOn('admin', () => undefined, spec)
  const onVersion = operationsOn(
    'admin',
    ({ world, params }: Scope) =>
      requireFound(toolVersionWithId(world, kind, params['version_id'] ?? '')),
    spec,
  )
  const onePath = `${path}/:version_id` as const
  return [
    onNoSubject.page(path, rendering, {
      id: `list${noun}s`,
      summary: 'List the versions of a tool, newest first.',
      query: openQuery({
        'filter[version]': described(text, 'Version'),
        'search[version]': described(text, 'Part of a version'),
      }),
      run({ context, query }) {
        const { 'filter[version]': wanted, 'search[version]': part = '' } = query
        return toolVersionsOf(context.world, kind).filter(
          ({ version }) => (!wanted || version === wanted) && version.includes(part),
        )
      },
    }),
    onNoSubject.document('POST', path, rendering, {
      id: `create${noun}`,
      summary: 'Add a version of a tool.',
      body: form,
      run: ({ context, body }) =>
        createToolVersion(context.world, kind, inState(body().attributes)),
    }),
    onVersion.document('GET', onePath, rendering, {
      id: `read${noun}`,
      summary: 'Read a version of a tool.',
      run: ({ context }) => context.subject,
    }),
    onVersion.document('PATCH', onePath, rendering, {
      id: `change${noun}`,
      summary: 'Change the given attributes of a version of a tool.',
      body: form,
      run({ context, body }) {
        const input = inState(body().attributes)
        return changeToolVersion(context.world, context.subject, input)
      },
    }),
    onVersion('DELETE', onePath, {
      id: `delete${noun}`,
      summary: 'Delete a version of a tool that is not official.',
      failures: [422],
      run: ({ context: { world, subject } }) => deleteToolVersion(world, subject),
    }),
  ]
})
