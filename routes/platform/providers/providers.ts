import { list, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  changeProviderTags,
  createProvider,
  deleteProvider,
  type Provider,
  type ProviderPlatform,
  type ProviderVersion,
  providersOf,
} from '../../../state/platform/providers/providers.ts'
import {
  createProviderPlatform,
  createProviderVersion,
  deleteProviderPlatform,
  deleteProviderVersion,
} from '../../../state/platform/providers/versions.ts'
import { bindingsOf } from '../../../state/platform/tags/tags.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { inState, openQuery, optionalMembers, strictText } from '../json-api/attributes.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { providerPageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, unpagedListOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { nameFilter } from '../organizations/scopes.ts'
import { bindingType, relatedBindings } from '../workspaces/tag-input.ts'
import { bindingResource, bindingShape } from '../workspaces/tag-resource.ts'
import {
  providerPlatformResource,
  providerPlatformShape,
  providerResource,
  providerShape,
  providerTypes,
  providerVersionResource,
  providerVersionShape,
} from './provider-resource.ts'
import {
  findPlatformFor,
  findPrivateProviderFor,
  findProviderById,
  findProviderFor,
  findRegistryFor,
  findVersionFor,
} from './provider-scope.ts'

const spec = 'behaviour/platform#registry-providers'
const listPath = '/organizations/:organization_name/registry-providers'
const onePath = `${listPath}/:registry_name/:namespace/:name` as const
const idPath = '/registry-providers/:registry_provider_id'
const versionsPath = `${onePath}/versions` as const
const versionPath = `${versionsPath}/:version` as const
const platformsPath = `${versionPath}/platforms` as const
const platformPath = `${platformsPath}/:os/:arch` as const

const providerRendering = { shape: providerShape, render: providerResource }

const onRegistry = operationsOn('caller', findRegistryFor('read'), spec)
const onManagedRegistry = operationsOn('caller', findRegistryFor('manage'), spec)
const onProvider = operationsOn('caller', findProviderFor('read'), spec)
const onManagedProvider = operationsOn('caller', findProviderFor('manage'), spec)
const onProviderById = operationsOn('caller', findProviderById, spec)
const onPrivateProvider = operationsOn('caller', findPrivateProviderFor('read'), spec)
const onManagedPrivateProvider = operationsOn('caller', findPrivateProviderFor('manage'), spec)
const onVersion = operationsOn('caller', findVersionFor('read'), spec)
const onManagedVersion = operationsOn('caller', findVersionFor('manage'), spec)
const onPlatform = operationsOn('caller', findPlatformFor('read'), spec)
const onManagedPlatform = operationsOn('caller', findPlatformFor('manage'), spec)

const providerForm = {
  type: providerTypes.provider,
  attributes: optionalMembers({
    name: strictText,
    namespace: strictText,
    'registry-name': strictText,
  }),
} as const
const versionForm = {
  type: providerTypes.version,
  attributes: optionalMembers({
    version: strictText,
    'key-id': strictText,
    protocols: union(list(text)),
  }),
} as const
const platformForm = {
  type: 'registry-provider-version-platforms',
  attributes: optionalMembers({
    os: strictText,
    arch: strictText,
    shasum: strictText,
    filename: strictText,
  }),
} as const

const inclusions = inclusionsOf<Provider>(
  {
    [providerTypes.version]: {
      find: (provider, context) =>
        provider.versions.map((one) => providerVersionResource(provider, one, context)),
    },
  },
  [providerVersionShape],
)

/** Query, replies and handler of the two operations that read a provider, by name and by id. */
const providerReading = {
  query: openQuery(inclusions.query),
  failures: [400],
  reply: { 200: withExtraFields(documentOf(providerShape), inclusions.shape) },
  run: ({
    context,
    query: { include },
  }: {
    readonly context: PlatformContext<Provider>
    readonly query: { readonly include?: string | undefined }
  }) => {
    const resource = providerResource(context.subject, context)
    return ok(inclusions.document(include, context, context.subject, resource))
  },
} as const

export const providerOperations = [
  onRegistry('GET', listPath, {
    id: 'listRegistryProviders',
    summary: 'List the providers of an organization, newest first.',
    query: openQuery({
      ...inclusions.query,
      q: described(text, 'Part of a name'),
      'filter[registry_name]': described(text, '`private` or `public`'),
      'filter[organization_name]': described(text, 'Name of the organization'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(providerShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const { q = '', 'filter[registry_name]': registry } = query
      const { 'filter[organization_name]': organization } = query
      const found = providersOf(world, subject.name)
        .filter(nameFilter(q, ''))
        .filter((one) => !registry || one.registry_name === registry)
        .filter((one) => !organization || one.organization === organization)
      const render = (one: Provider) => included.add(one, providerResource(one, context))
      return ok({ ...providerPageOf(found, render, address), ...included.members() })
    },
  }),
  onManagedRegistry.document('POST', listPath, providerRendering, {
    id: 'createRegistryProvider',
    summary: 'Add a provider to the registry of an organization.',
    body: providerForm,
    run({ context, body }) {
      const { world, subject } = context
      return createProvider(world, subject.name, inState(body().attributes))
    },
  }),
  onProvider('GET', onePath, {
    id: 'readRegistryProvider',
    summary: 'Read a provider.',
    ...providerReading,
  }),
  onProviderById('GET', idPath, {
    id: 'readRegistryProviderById',
    summary: 'Read a provider by its id.',
    ...providerReading,
  }),
  onProviderById('GET', `${idPath}/${bindingType}`, {
    id: 'readProviderTagBindings',
    summary: 'List the tags of a provider with their values.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { subject } }) =>
      ok({ data: bindingsOf(subject).map((one) => bindingResource(one)) }),
  }),
  onManagedProvider.document('PATCH', onePath, providerRendering, {
    id: 'changeRegistryProvider',
    summary: 'Replace the tags of a provider.',
    body: { type: providerTypes.provider, attributes: optionalMembers({}) },
    run({ context, body }) {
      const { tags } = relatedBindings(body().relationships)
      return changeProviderTags(context.world, context.subject, tags)
    },
  }),
  onManagedProvider('DELETE', onePath, {
    id: 'deleteRegistryProvider',
    summary: 'Delete a provider with its versions.',
    run: ({ context: { world, subject } }) => deleteProvider(world, subject),
  }),
  onPrivateProvider('GET', versionsPath, {
    id: 'listRegistryProviderVersions',
    summary: 'List the versions of a private provider, newest first.',
    failures: [403],
    reply: { 200: listOf(providerVersionShape) },
    run: ({ context }) => {
      const { subject, address } = context
      const render = (one: ProviderVersion) => providerVersionResource(subject, one, context)
      return ok(providerPageOf(subject.versions.toReversed(), render, address))
    },
  }),
  onManagedPrivateProvider('POST', versionsPath, {
    id: 'createRegistryProviderVersion',
    summary:
      'Add a version to a private provider; its checksums are uploaded to links in the reply.',
    body: versionForm,
    failures: [403],
    reply: { 201: documentOf(providerVersionShape) },
    run: ({ context, body }) => {
      const { world, subject } = context
      const version = createProviderVersion(world, subject, inState(body().attributes))
      return answer(201, { data: providerVersionResource(subject, version, context) })
    },
  }),
  onVersion('GET', versionPath, {
    id: 'readRegistryProviderVersion',
    summary: 'Read a version of a private provider.',
    failures: [403],
    reply: { 200: documentOf(providerVersionShape) },
    run: ({ context }) => {
      const { provider, version } = context.subject
      return ok({ data: providerVersionResource(provider, version, context) })
    },
  }),
  onManagedVersion('DELETE', versionPath, {
    id: 'deleteRegistryProviderVersion',
    summary: 'Delete a version of a private provider with its platforms.',
    failures: [403],
    run: ({ context: { world, subject } }) =>
      deleteProviderVersion(world, subject.provider, subject.version),
  }),
  onVersion('GET', platformsPath, {
    id: 'listRegistryProviderPlatforms',
    summary: 'List the platforms of a version, newest first.',
    failures: [403],
    reply: { 200: listOf(providerPlatformShape) },
    run: ({ context }) => {
      const { provider, version } = context.subject
      const render = (one: ProviderPlatform) =>
        providerPlatformResource(provider, version, one, context)
      return ok(providerPageOf(version.platforms.toReversed(), render, context.address))
    },
  }),
  onManagedVersion('POST', platformsPath, {
    id: 'createRegistryProviderPlatform',
    summary: 'Add a platform to a version; its binary is uploaded to a link in the reply.',
    body: platformForm,
    failures: [403],
    reply: { 201: documentOf(providerPlatformShape) },
    run: ({ context, body }) => {
      const { provider, version } = context.subject
      const platform = createProviderPlatform(context.world, provider, version, body().attributes)
      return answer(201, { data: providerPlatformResource(provider, version, platform, context) })
    },
  }),
  onPlatform('GET', platformPath, {
    id: 'readRegistryProviderPlatform',
    summary: 'Read a platform of a version.',
    failures: [403],
    reply: { 200: documentOf(providerPlatformShape) },
    run: ({ context }) => {
      const { provider, version, platform } = context.subject
      return ok({ data: providerPlatformResource(provider, version, platform, context) })
    },
  }),
  onManagedPlatform('DELETE', platformPath, {
    id: 'deleteRegistryProviderPlatform',
    summary: 'Delete a platform of a version with its binary.',
    failures: [403],
    run: ({ context: { world, subject } }) => {
      const { provider, version, platform } = subject
      deleteProviderPlatform(world, provider, version, platform)
    },
  }),
]
