import { instant, list, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { dropFile } from '../files.ts'
import { newId } from '../ids.ts'
import { isBlank, isPlainName, type TextInput } from '../names.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { bindingsOf, replacedBindings, type TagInput, tagBindingsShape } from '../tags/tags.ts'
import { Violations } from '../violations.ts'
import { deleteGpgKey, gpgKeysOf, moveGpgKey } from './gpg-keys.ts'

export const providerPlatformAttributes = { os: text, arch: text, shasum: text, filename: text }

const platformShape = struct({
  ...providerPlatformAttributes,
  /**
   * Id of the form `provpltfrm-…`. The platform's binary is stored as a file with this id as its
   * subject.
   */
  id: text,
})

export const providerVersionAttributes = {
  version: text,
  key_id: text,
  protocols: list(text),
  created_at: instant,
  updated_at: instant,
}

const versionShape = struct({
  ...providerVersionAttributes,
  /** Id of the form `provver-…`. */
  id: text,
  /** Platforms in creation order. */
  platforms: list(platformShape),
})

export const providerAttributes = {
  name: text,
  namespace: text,
  registry_name: word('private', 'public'),
  created_at: instant,
  updated_at: instant,
}

const providerShape = struct({
  ...providerAttributes,
  /** Id of the form `prov-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Versions in creation order; empty for a public provider. */
  versions: list(versionShape),
  tag_bindings: optional(tagBindingsShape),
})

/** A provider in an organization's registry (behaviour/platform#registry-providers). */
export interface Provider extends StoredOf<typeof providerShape> {}

export interface ProviderVersion extends StoredOf<typeof versionShape> {}

/** A build of a provider version for one operating system and architecture. */
export interface ProviderPlatform extends StoredOf<typeof platformShape> {}

/**
 * Providers by `<organization>/<number>`, in creation order. Keys of the index `byName` are
 * `<organization>/<registry>/<namespace>/<name>`; keys of `byPart` are ids of versions and
 * platforms.
 */
export const registryProviders = platformTable('registry-providers', providerShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, registry_name, namespace, name }) =>
      `${organization}/${registry_name}/${namespace}/${name}`,
    byPart: ({ versions }) =>
      versions.flatMap(({ id, platforms }) => [id, ...platforms.map((each) => each.id)]),
  },
})

const rows = ownedRows(registryProviders, 'organization')

type ProviderName = Pick<Provider, 'registry_name' | 'namespace' | 'name'>

export function providersOf(world: World, organization: string): Provider[] {
  return rows.of(world, organization).toReversed()
}

export function providerWithId(world: World, id: string): Provider | undefined {
  return rows.withId(world, id)
}

export function providerNamed(
  world: World,
  organization: string,
  { registry_name, namespace, name }: ProviderName,
): Provider | undefined {
  const key = `${organization}/${registry_name}/${namespace}/${name}`
  return world.table(registryProviders).index('byName').get(key)
}

/**
 * Adds a provider. Throws 422 for a name, namespace or registry that is blank or invalid, and for a
 * name that is taken.
 */
export function createProvider(
  world: World,
  organization: string,
  input: TextInput<'name' | 'namespace' | 'registry_name'>,
): Provider {
  const { name, namespace, registry_name: sent } = input
  const violations = new Violations()
  const registry_name = (['private', 'public'] as const).find((each) => each === sent)
  if (isBlank(sent)) violations.add('registry-name', 'blank')
  if (registry_name === undefined) violations.add('registry-name', 'not-listed')
  if (isBlank(namespace)) violations.add('namespace', 'blank')
  else if (!isPlainName(namespace) || (sent === 'private' && namespace !== organization)) {
    violations.add('namespace', 'invalid')
  }
  if (isBlank(name)) violations.add('name', 'blank')
  else if (!isPlainName(name)) violations.add('name', 'invalid')
  if (violations.hasAny || registry_name === undefined) throw violations.refusal()
  const names = { registry_name, namespace: namespace ?? '', name: name ?? '' }
  if (providerNamed(world, organization, names) !== undefined) violations.add('name', 'taken')
  violations.check()
  const now = world.clock.now()
  return world.write(() =>
    rows.put(world, {
      ...names,
      id: newId(world, 'prov'),
      organization,
      versions: [],
      created_at: now,
      updated_at: now,
    }),
  )
}

/** Replaces the versions of a provider and updates `updated_at`. Must run inside a transaction. */
export function putProviderVersions(
  world: World,
  provider: Provider,
  versions: readonly ProviderVersion[],
): void {
  rows.put(world, { ...provider, versions: [...versions], updated_at: world.clock.now() })
}

/**
 * Replaces the tags of a provider and updates `updated_at`. Returns the provider unchanged if
 * `sent` is undefined.
 */
export function changeProviderTags(
  world: World,
  provider: Provider,
  sent: readonly TagInput[] | undefined,
): Provider {
  if (sent === undefined) return provider
  const tag_bindings = replacedBindings(world, bindingsOf(provider), sent)
  const updated_at = world.clock.now()
  return world.write(() => rows.put(world, { ...provider, tag_bindings, updated_at }))
}

/** Deletes a provider with its versions and files. */
export function deleteProvider(world: World, { id, versions }: Provider): void {
  world.write(() => {
    for (const version of versions) dropVersionFiles(world, version)
    rows.drop(world, { id })
  })
}

/** Files of a provider version that belong to no platform: the checksums and their signature. */
export const versionFileNames = ['shasums', 'shasums-sig'] as const

/**
 * Deletes the files of a version and of its platforms, with their upload addresses. Must run inside
 * a transaction.
 */
export function dropVersionFiles(world: World, { id, platforms }: ProviderVersion): void {
  for (const file of versionFileNames) dropFile(world, `${id}/${file}`)
  for (const platform of platforms) dropFile(world, platform.id)
}

/** Deletes the providers and GPG keys of an organization. */
export function dropProviders(world: World, organization: string): void {
  for (const provider of rows.of(world, organization)) deleteProvider(world, provider)
  for (const key of gpgKeysOf(world, organization)) deleteGpgKey(world, key)
}

/**
 * Moves the providers and GPG keys of a renamed organization. The new name is also the namespace of
 * private providers. Must run inside a transaction.
 */
export function moveProviders(world: World, before: string, organization: string): void {
  rows.move(world, before, organization)
  for (const provider of rows.of(world, organization)) {
    if (provider.registry_name === 'private') {
      rows.put(world, { ...provider, namespace: organization })
    }
  }
  for (const key of gpgKeysOf(world, before)) moveGpgKey(world, key, organization)
}
