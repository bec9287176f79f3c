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
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  inState,
  openQuery,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import {
  documentOf,
  inDialect,
  listOf,
  type Resource,
  resourceShape,
  withExtraFields,
} from '../json-api/resource.ts'
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

/** Tools, with their paths and the names of their operations. The first has the product's name. */
const tools = [
  { kind: 'infra', path: '/admin/infra-versions', noun: 'InfraVersion' },
  { kind: 'infra', path: '/admin/terraform-versions', noun: 'TerraformVersion' },
  { kind: 'opa', path: '/admin/opa-versions', noun: 'OpaVersion' },
  { kind: 'sentinel', path: '/admin/sentinel-versions', noun: 'SentinelVersion' },
] as const satisfies readonly { readonly kind: ToolKind; readonly path: string; noun: string }[]

/** Shapes of the resource types, which differ by dialect for one tool. */
const typeShapes = {
  infra: word({ 'infra-versions': 'terraform-versions' }),
  opa: word('opa-versions'),
  sentinel: word('sentinel-versions'),
} as const

const spec = 'behaviour/platform#tool-versions'

/** Operations of site admins on the versions of tools. */
export const toolVersionOperations = tools.flatMap(({ kind, path, noun }) => {
  const type = `${kind}-versions`
  const shape = withExtraFields(resourceShape(type, attributes), { type: typeShapes[kind] })
  const form = { type, attributes: inputAttributes }
  const resourceOf = (
    version: ToolVersion,
    { world, dialect }: PlatformContext<unknown>,
  ): Resource => {
    const values = { ...renderer.render(version), usage: usageOf(world, version) }
    return inDialect({ id: version.id, type, attributes: values }, attributes, dialect)
  }
  const onAll = operationsOn('admin', () => undefined, spec)
  const onOne = operationsOn(
    'admin',
    ({ world, params }: Scope) =>
      requireFound(toolVersionWithId(world, kind, params['version_id'] ?? '')),
    spec,
  )
  const onePath = `${path}/:version_id` as const
  return [
    onAll('GET', path, {
      id: `list${noun}s`,
      summary: 'List the versions of a tool, newest first.',
      query: openQuery({
        'filter[version]': described(text, 'Version'),
        'search[version]': described(text, 'Part of a version'),
      }),
      reply: { 200: listOf(shape) },
      run: ({ context, query }) => {
        const { 'filter[version]': wanted, 'search[version]': part = '' } = query
        const found = toolVersionsOf(context.world, kind).filter(
          ({ version }) => (!wanted || version === wanted) && version.includes(part),
        )
        return ok(pageOf(found, (one) => resourceOf(one, context), context.address))
      },
    }),
    onAll('POST', path, {
      id: `create${noun}`,
      summary: 'Add a version of a tool.',
      body: form,
      reply: { 201: documentOf(shape) },
      run: ({ context, body }) => {
        const version = createToolVersion(context.world, kind, inState(body().attributes))
        return answer(201, { data: resourceOf(version, context) })
      },
    }),
    onOne('GET', onePath, {
      id: `read${noun}`,
      summary: 'Read a version of a tool.',
      reply: { 200: documentOf(shape) },
      run: ({ context }) => ok({ data: resourceOf(context.subject, context) }),
    }),
    onOne('PATCH', onePath, {
      id: `change${noun}`,
      summary: 'Change what is named of a version of a tool.',
      body: form,
      reply: { 200: documentOf(shape) },
      run: ({ context, body }) => {
        const input = inState(body().attributes)
        const version = changeToolVersion(context.world, context.subject, input)
        return ok({ data: resourceOf(version, context) })
      },
    }),
    onOne('DELETE', onePath, {
      id: `delete${noun}`,
      summary: 'Delete a version of a tool that is not official.',
      failures: [422],
      reply: { 204: null },
      run: ({ context: { world, subject } }) => deleteToolVersion(world, subject),
    }),
  ]
})
