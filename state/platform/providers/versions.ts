import type { World } from '../../kernel/worlds/world.ts'
import { createUploadAddress, dropFile, fileAddress, storeFile } from '../files.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, isVersion, type TextInput } from '../names.ts'
import type { StoredObject } from '../objects.ts'
import { Violations } from '../violations.ts'
import {
  dropVersionFiles,
  type Provider,
  type ProviderPlatform,
  type ProviderVersion,
  putProviderVersions,
  registryProviders,
  versionFileNames,
} from './providers.ts'

/** Provider protocols that a version can support. */
const knownProtocols = ['4.0', '5.0', '6.0']

/** Protocols of a version if the request contains no protocols. */
const defaultProtocols = ['5.0']

interface ProviderVersionInput extends TextInput<'version' | 'key_id'> {
  readonly protocols?: readonly string[]
}

/** Throws 403 for a public provider, whose versions are in the public registry. */
export function checkPrivate({ registry_name }: Provider): void {
  if (registry_name === 'public') throw refuse('public-provider-versions')
}

/**
 * Adds a version and its upload addresses. Throws 422 for invalid attributes
 * (behaviour/platform#registry-providers).
 */
export function createProviderVersion(
  world: World,
  provider: Provider,
  { version = '', key_id = '', protocols = defaultProtocols }: ProviderVersionInput,
): ProviderVersion {
  const violations = new Violations()
  const isTaken = provider.versions.some((one) => one.version === version)
  if (version === null || !isVersion(version)) violations.add('version', 'invalid')
  else if (isTaken) violations.add('version', 'taken')
  // Unknown keys are accepted, because the key may be added later.
  if (isBlank(key_id)) violations.add('key', 'blank')
  const areKnown = protocols.every((each) => knownProtocols.includes(each))
  if (protocols.length === 0 || !areKnown) violations.add('protocols', 'invalid')
  violations.check()
  const now = world.clock.now()
  return world.write(() => {
    const added: ProviderVersion = {
      id: newId(world, 'provver'),
      version: version ?? '',
      key_id: key_id ?? '',
      protocols: [...protocols],
      platforms: [],
      created_at: now,
      updated_at: now,
    }
    for (const file of versionFileNames) createUploadAddress(world, `${added.id}/${file}`)
    putProviderVersions(world, provider, [...provider.versions, added])
    return added
  })
}

/** Deletes a version with its platforms and files. */
export function deleteProviderVersion(
  world: World,
  provider: Provider,
  version: ProviderVersion,
): void {
  const others = provider.versions.filter(({ id }) => id !== version.id)
  world.write(() => {
    dropVersionFiles(world, version)
    putProviderVersions(world, provider, others)
  })
}

const platformMembers = ['os', 'arch', 'shasum', 'filename'] as const

/**
 * Adds a platform and an upload address for its binary. Throws 422 for blank attributes, or if the
 * version already has the platform.
 */
export function createProviderPlatform(
  world: World,
  provider: Provider,
  version: ProviderVersion,
  input: TextInput<(typeof platformMembers)[number]>,
): ProviderPlatform {
  const violations = new Violations()
  for (const member of platformMembers) {
    if (isBlank(input[member])) violations.add(member, 'blank')
  }
  const { os, arch, shasum, filename } = input
  if (platformOf(version, os, arch) !== undefined) violations.add('os', 'taken')
  violations.check()
  return world.write(() => {
    const platform: ProviderPlatform = {
      id: newId(world, 'provpltfrm'),
      os: os ?? '',
      arch: arch ?? '',
      shasum: shasum ?? '',
      filename: filename ?? '',
    }
    createUploadAddress(world, platform.id)
    putPlatforms(world, provider, version, [...version.platforms, platform])
    return platform
  })
}

export function deleteProviderPlatform(
  world: World,
  provider: Provider,
  version: ProviderVersion,
  { id }: ProviderPlatform,
): void {
  const others = version.platforms.filter((one) => one.id !== id)
  world.write(() => {
    dropFile(world, id)
    putPlatforms(world, provider, version, others)
  })
}

export function platformOf(
  { platforms }: ProviderVersion,
  os: string | null | undefined,
  arch: string | null | undefined,
): ProviderPlatform | undefined {
  return platforms.find((one) => one.os === os && one.arch === arch)
}

function putPlatforms(
  world: World,
  provider: Provider,
  version: ProviderVersion,
  platforms: readonly ProviderPlatform[],
): void {
  const changed = { ...version, platforms: [...platforms], updated_at: world.clock.now() }
  const versions = provider.versions.map((one) => (one.id === version.id ? changed : one))
  putProviderVersions(world, provider, versions)
}

/** Stores an uploaded file and updates `updated_at` of the version to which the file belongs. */
export function receiveProviderFile(
  world: World,
  object: StoredObject,
  pieces: readonly string[],
): void {
  const [part = ''] = object.subject.split('/', 1)
  const provider = world.table(registryProviders).index('byPart').get(part)
  world.write(() => {
    storeFile(world, object, pieces)
    const version = provider?.versions.find(
      ({ id, platforms }) => id === part || platforms.some((each) => each.id === part),
    )
    if (provider === undefined || version === undefined) return
    putPlatforms(world, provider, version, version.platforms)
  })
}

/** Returns whether the file with this subject was uploaded. */
export function hasFile(world: World, subject: string): boolean {
  return fileAddress(world, subject)?.isUploaded === true
}

/**
 * Returns the platforms that `terraform init` can install: those with an uploaded binary, if the
 * checksums and their signature were uploaded.
 */
export function installablePlatforms(world: World, version: ProviderVersion): ProviderPlatform[] {
  const { id, platforms } = version
  if (!versionFileNames.every((file) => hasFile(world, `${id}/${file}`))) return []
  return platforms.filter((each) => hasFile(world, each.id))
}
