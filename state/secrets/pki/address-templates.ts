import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { AuthorityAddresses } from './certificate.ts'
import { refuse } from './messages.ts'
import { isUrl, pkiCluster } from './tables.ts'

/** Addresses, and the setting that says whether they are templates (behaviour/secrets#pki-urls). */
export interface AddressTemplates extends AuthorityAddresses {
  readonly enable_templating: boolean
}

const members = ['issuing_certificates', 'crl_distribution_points', 'ocsp_servers'] as const

/**
 * Inserts the addresses of the cluster and the id of the issuer into address templates. Returns
 * addresses that are not templates unchanged. If a value is missing or a result is not a URL,
 * returns a refusal instead of throwing it, because some callers only warn about it.
 *
 * @param issuerId empty if the issuer does not exist yet
 */
export function filledAddresses(
  world: World,
  mount: Mount,
  templates: AddressTemplates,
  issuerId: string,
): AuthorityAddresses | Refusal {
  if (!templates.enable_templating) return templates
  const { path, aia_path } = pkiCluster(world, mount)
  const fillTemplate = (text: string) => {
    if (text.includes('{{cluster_path}}') && path === '') {
      throw refuse('pki-addresses-no-cluster', { field: 'path' })
    }
    if (text.includes('{{cluster_aia_path}}') && aia_path === '') {
      throw refuse('pki-addresses-no-cluster', { field: 'aia_path' })
    }
    if (text.includes('{{issuer_id}}') && issuerId === '') throw refuse('pki-addresses-no-issuer')
    return text
      .replaceAll('{{cluster_path}}', path)
      .replaceAll('{{cluster_aia_path}}', aia_path)
      .replaceAll('{{issuer_id}}', issuerId)
  }
  const fillAll = (field: (typeof members)[number]) => {
    const addresses = templates[field].map(fillTemplate)
    const value = addresses.find((each) => !isUrl(each))
    if (value !== undefined) throw refuse('pki-addresses-invalid', { field, value })
    return addresses
  }
  try {
    return {
      issuing_certificates: fillAll('issuing_certificates'),
      crl_distribution_points: fillAll('crl_distribution_points'),
      ocsp_servers: fillAll('ocsp_servers'),
    }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
