import { bool, text } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import { fileAddress } from '../../../state/platform/files.ts'
import {
  type Provider,
  type ProviderPlatform,
  type ProviderVersion,
  providerAttributes,
  providerPlatformAttributes,
  providerVersionAttributes,
} from '../../../state/platform/providers/providers.ts'
import { hasFile } from '../../../state/platform/providers/versions.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import { toMany, toOne } from '../json-api/relations.ts'
import {
  flags,
  linkWithData,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

export const providerTypes = {
  provider: 'registry-providers',
  version: 'registry-provider-versions',
  platform: 'registry-provider-platforms',
} as const

const providerRenderer = attributeRenderer(providerAttributes)
const versionRenderer = attributeRenderer(providerVersionAttributes)
const platformRenderer = attributeRenderer(providerPlatformAttributes)

const assetPermissions = flags(['can-delete', 'can-upload-asset'])

export const providerShape = resourceShape(
  providerTypes.provider,
  struct({ ...providerRenderer.shape.fields, permissions: flags(['can-delete']) }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      versions: linkWithData(providerTypes.version),
      'registry-provider-versions': linkWithData(providerTypes.version),
    }),
    links: selfLink,
  },
)

export const providerVersionShape = resourceShape(
  providerTypes.version,
  struct({
    ...versionRenderer.shape.fields,
    'shasums-uploaded': bool,
    'shasums-sig-uploaded': bool,
    permissions: assetPermissions,
  }),
  {
    relationships: struct({
      'registry-provider': relationOf(providerTypes.provider),
      platforms: linkWithData(providerTypes.platform),
    }),
    links: struct({
      'shasums-upload': optional(text),
      'shasums-download': optional(text),
      'shasums-sig-upload': optional(text),
      'shasums-sig-download': optional(text),
    }),
  },
)

export const providerPlatformShape = resourceShape(
  providerTypes.platform,
  struct({
    ...platformRenderer.shape.fields,
    'provider-binary-uploaded': bool,
    permissions: assetPermissions,
  }),
  {
    relationships: struct({ 'registry-provider-version': relationOf(providerTypes.version) }),
    links: struct({
      'provider-binary-upload': optional(text),
      'provider-binary-download': optional(text),
    }),
  },
)

type Context = Pick<PlatformContext<unknown>, 'world' | 'caller' | 'origin'>

/** Returns whether the caller may change and delete the providers of an organization. */
function managesProviders({ world, caller }: Context, organization: string): boolean {
  return hasRight(world, caller, organization, 'manage-providers')
}

function addressOf({ organization, registry_name, namespace, name }: Provider): string {
  const parts = [organization, 'registry-providers', registry_name, namespace, name]
  return `/api/v2/organizations/${parts.join('/')}`
}

export function providerResource(provider: Provider, context: Context): Resource {
  const { id, organization, versions } = provider
  const self = addressOf(provider)
  const ids = versions.map((one) => one.id)
  const related = {
    ...toMany(providerTypes.version, ids),
    links: { related: `${self}/versions` },
  }
  return {
    id,
    type: providerTypes.provider,
    attributes: {
      ...providerRenderer.render(provider),
      permissions: { 'can-delete': managesProviders(context, organization) },
    },
    relationships: {
      organization: toOne('organizations', organization),
      versions: related,
      'registry-provider-versions': related,
    },
    links: { self },
  }
}

function assetPermissionsOf(context: Context, { organization }: Provider) {
  const isManager = managesProviders(context, organization)
  return { 'can-delete': isManager, 'can-upload-asset': isManager }
}

/**
 * Renders the link to a file: an upload link until the file is uploaded, then a download link.
 * Returns an empty object if the file has no address.
 */
function fileLink(context: Context, subject: string, name: string) {
  const address = fileAddress(context.world, subject)
  if (address === undefined) return {}
  const url = objectUrl(context, address.id)
  return { [`${name}-${address.isUploaded ? 'download' : 'upload'}`]: url }
}

export function providerVersionResource(
  provider: Provider,
  version: ProviderVersion,
  context: Context,
): Resource {
  const { id, platforms } = version
  const related = `${addressOf(provider)}/versions/${version.version}/platforms`
  const ids = platforms.map((one) => one.id)
  return {
    id,
    type: providerTypes.version,
    attributes: {
      ...versionRenderer.render(version),
      'shasums-uploaded': hasFile(context.world, `${id}/shasums`),
      'shasums-sig-uploaded': hasFile(context.world, `${id}/shasums-sig`),
      permissions: assetPermissionsOf(context, provider),
    },
    relationships: {
      'registry-provider': toOne(providerTypes.provider, provider.id),
      platforms: { ...toMany(providerTypes.platform, ids), links: { related } },
    },
    links: {
      ...fileLink(context, `${id}/shasums`, 'shasums'),
      ...fileLink(context, `${id}/shasums-sig`, 'shasums-sig'),
    },
  }
}

export function providerPlatformResource(
  provider: Provider,
  version: ProviderVersion,
  platform: ProviderPlatform,
  context: Context,
): Resource {
  return {
    id: platform.id,
    type: providerTypes.platform,
    attributes: {
      ...platformRenderer.render(platform),
      'provider-binary-uploaded': hasFile(context.world, platform.id),
      permissions: assetPermissionsOf(context, provider),
    },
    relationships: { 'registry-provider-version': toOne(providerTypes.version, version.id) },
    links: fileLink(context, platform.id, 'provider-binary'),
  }
}
