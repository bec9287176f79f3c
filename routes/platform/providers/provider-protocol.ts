import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { checkTokenKind, isMember } from '../../../state/platform/accounts/callers.ts'
import { fileAddress } from '../../../state/platform/files.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { gpgKeyNamed } from '../../../state/platform/providers/gpg-keys.ts'
import { providerNamed } from '../../../state/platform/providers/providers.ts'
import { installablePlatforms } from '../../../state/platform/providers/versions.ts'
import { ok, operationFor } from '../../http/declare/operation.ts'
import { registryFailures as failures, type RegistryContext } from '../modules/registry.ts'
import { objectUrl } from '../objects/object-url.ts'

/** Path prefix of the protocol with which the command-line client finds and downloads providers. */
export const providerPrefix = '/api/registry/v1/providers'

const spec = 'behaviour/platform#provider-protocol'

const versionsShape = struct({
  versions: list(
    struct({
      version: text,
      protocols: list(text),
      platforms: list(struct({ os: text, arch: text })),
    }),
  ),
})

const downloadShape = struct({
  protocols: list(text),
  os: text,
  arch: text,
  filename: text,
  download_url: text,
  shasums_url: text,
  shasums_signature_url: text,
  shasum: text,
  signing_keys: struct({
    gpg_public_keys: list(struct({ key_id: text, ascii_armor: text })),
  }),
})

/**
 * Returns the installable versions of a private provider, with their platforms. Throws 404 if the
 * provider is unknown or the caller is not a member of the organization. Throws 401 if the
 * organization does not accept the caller's kind of token.
 */
function requireProvider(
  { world, caller }: RegistryContext,
  { namespace, name }: { readonly namespace: string; readonly name: string },
) {
  const names = { registry_name: 'private', namespace, name } as const
  const provider = requireFound(providerNamed(world, namespace, names))
  if (!isMember(world, caller, namespace)) throw refuse('not-found')
  checkTokenKind(world, caller, namespace)
  return provider.versions
    .map((version) => ({ version, platforms: installablePlatforms(world, version) }))
    .filter(({ platforms }) => platforms.length > 0)
}

const operation = operationFor<RegistryContext>()

/**
 * Operations with which the command-line client finds and downloads providers
 * (behaviour/platform#provider-protocol).
 */
export const providerProtocolOperations = [
  operation({
    id: 'listInstallableProviderVersions',
    method: 'GET',
    path: '/:namespace/:name/versions',
    summary: 'List the versions of a private provider that can be installed.',
    spec,
    reply: { 200: versionsShape, ...failures },
    run: ({ context, params }) =>
      ok({
        versions: requireProvider(context, params).map(({ version, platforms }) => ({
          version: version.version,
          protocols: [...version.protocols],
          platforms: platforms.map(({ os, arch }) => ({ os, arch })),
        })),
      }),
  }),
  operation({
    id: 'findProviderDownload',
    method: 'GET',
    path: '/:namespace/:name/:version/download/:os/:arch',
    summary: 'Return the download address of a version of a private provider for a platform.',
    spec,
    reply: { 200: downloadShape, ...failures },
    run: ({ context, params }) => {
      const { world } = context
      const found = requireFound(
        requireProvider(context, params).find((one) => one.version.version === params.version),
      )
      const { id, protocols, key_id } = found.version
      const platform = requireFound(
        found.platforms.find(({ os, arch }) => os === params.os && arch === params.arch),
      )
      const urlOf = (subject: string) =>
        objectUrl(context, requireFound(fileAddress(world, subject)).id)
      const key = gpgKeyNamed(world, params.namespace, key_id)
      const { os, arch, filename, shasum } = platform
      return ok({
        protocols: [...protocols],
        os,
        arch,
        filename,
        download_url: urlOf(platform.id),
        shasums_url: urlOf(`${id}/shasums`),
        shasums_signature_url: urlOf(`${id}/shasums-sig`),
        shasum,
        signing_keys: {
          gpg_public_keys: key === undefined ? [] : [{ key_id, ascii_armor: key.ascii_armor }],
        },
      })
    },
  }),
]
