import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { crlSeconds } from '../../../state/secrets/pki/crl-config.ts'
import { hasNoAddresses } from '../../../state/secrets/pki/issuers.ts'
import { findIssuer } from '../../../state/secrets/pki/tables.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { type ExplainInMount, explainMember, memberOf, patchAt, withoutMembers } from './names.ts'
import { issuerRef } from './pki-issuers.ts'
import { sendTo, withField } from './root-requests.ts'

/**
 * Returns a detail of the refusal. If the detail is missing, returns the parameter of this name
 * from the refusal's message.
 */
function refusalValue({ refusal }: RefusedRequest, name: string): string {
  return String(refusal?.details[name] ?? refusal?.params[name])
}

/** Returns a function that explains that a duration must be shorter than the lifetime of CRLs. */
function explainLongDuration(
  member: 'auto_rebuild_grace_period' | 'delta_rebuild_interval',
  param: 'grace' | 'interval',
): ExplainInMount {
  return (request) => {
    const duration = refusalValue(request, param)
    const expiry = `${Math.max(2 * crlSeconds(duration), 3600)}s`
    return {
      because: `"${member}" is ${duration}, but must be shorter than "expiry", ${refusalValue(request, 'expiry')}`,
      ...withField('expiry', expiry)(request),
    }
  }
}

/**
 * Returns a function whose explanation is `because`. The function suggests sending the member with
 * the given boolean value.
 */
function explainSwitch(because: string, member: string, value: boolean): ExplainInMount {
  return (request) => ({ because, ...withField(member, value)(request) })
}

/** Explains that the safety buffer for the removal of expired data is shorter than a second. */
const explainBuffer: ExplainInMount = (request) => {
  const field = refusalValue(request, request.rule === 'pki-tidy-buffer-short' ? 'field' : 'name')
  return {
    because: `"${field}" is ${String(memberOf(request, field))}, but a buffer must be at least one second`,
    ...withField(field, '72h')(request),
  }
}

const explainPause = explainMember(
  'pause_duration',
  'it must be a duration of at least 0, such as 1s',
  withField('pause_duration', '0s'),
)

const urlRule = 'it must be a URL with a host, such as https://pki.example.com/v1/pki'

const emptyAddresses = { issuing_certificates: [], crl_distribution_points: [], ocsp_servers: [] }

/**
 * Suggests removing all addresses of the issuer or, if the invalid templates belong to the mount,
 * all addresses of the mount.
 */
function withoutAddresses(request: RefusedRequest, mount: Mount) {
  const issuer = findIssuer(request.world, mount, issuerRef(request, mount))
  if (request.rule === 'pki-addresses-of-root' || issuer === undefined || hasNoAddresses(issuer)) {
    const path = `${mount.path}config/urls`
    return sendTo(request, path, () => emptyAddresses, 'Remove the addresses of the mount')
  }
  const path = `${mount.path}issuer/${issuer.id}`
  return patchAt(request, path, emptyAddresses, 'Remove the addresses of the issuer')
}

/** Explains why the templates of addresses cannot be rendered. */
const explainTemplates: ExplainInMount = (request, mount) => {
  const cause = refusalValue(request, 'cause')
  const field = refusalValue(request, 'field')
  if (cause === 'pki-addresses-no-cluster') {
    const body = { [field]: 'https://pki.example.com/v1/pki' }
    return {
      because: `the addresses of ${mount.path} contain an address of the cluster, but "${field}" of ${mount.path}config/cluster is not set`,
      ...sendTo(request, `${mount.path}config/cluster`, () => body, `Set "${field}"`),
    }
  }
  const because =
    cause === 'pki-addresses-invalid'
      ? `the templates in "${field}" result in ${refusalValue(request, 'value')}, which is not a URL`
      : `the addresses of ${mount.path} contain the id of the issuer, which a new root does not have yet`
  return { because, ...withoutAddresses(request, mount) }
}

/**
 * Explanations of refusals because PKI engine settings are invalid or contradict each other, by
 * rule.
 */
export const pkiSettingExplanations: Readonly<Record<string, ExplainInMount>> = {
  'pki-crl-duration': (request) => {
    const field = refusalValue(request, 'field')
    return {
      because: `"${field}" is ${String(memberOf(request, field))}; it must be a duration such as 72h`,
      ...withoutMembers(field),
    }
  },
  'pki-crl-grace': explainLongDuration('auto_rebuild_grace_period', 'grace'),
  'pki-crl-delta-window': explainLongDuration('delta_rebuild_interval', 'interval'),
  'pki-crl-cluster': explainSwitch(
    '"cross_cluster_revocation" is true, which requires CRLs that are rebuilt by the clock, not by each revocation',
    'auto_rebuild',
    true,
  ),
  'pki-ocsp-expiry-negative': explainMember(
    'ocsp_expiry',
    'it must be a duration of at least 0',
    withField('ocsp_expiry', '12h'),
  ),
  'pki-unified-paths-alone': explainSwitch(
    '"unified_crl_on_existing_paths" is true, but there is no unified CRL without "unified_crl"',
    'unified_crl_on_existing_paths',
    false,
  ),
  'pki-cross-cluster-community': explainSwitch(
    '"cross_cluster_revocation" is true, but only the edition enterprise has several clusters',
    'cross_cluster_revocation',
    false,
  ),
  'pki-unified-crl-community': explainSwitch(
    '"unified_crl" is true, but only the edition enterprise has several clusters',
    'unified_crl',
    false,
  ),
  'pki-cross-cluster-local': explainSwitch(
    '"cross_cluster_revocation" is true, but the mount is local to this cluster',
    'cross_cluster_revocation',
    false,
  ),
  'pki-unified-crl-local': explainSwitch(
    '"unified_crl" is true, but the mount is local to this cluster',
    'unified_crl',
    false,
  ),
  'pki-unified-crl-manual': explainSwitch(
    '"unified_crl" is true, but a unified CRL cannot be rebuilt by each revocation',
    'auto_rebuild',
    true,
  ),
  'pki-acme-unsupported': explainSwitch(
    '"enabled" is true, but this server has no ACME',
    'enabled',
    false,
  ),
  'pki-acme-empty': (request) => {
    const field = refusalValue(request, 'field')
    return {
      because: `"${field}" is empty; it must contain names, or * for all`,
      ...withField(field, ['*'])(request),
    }
  },
  'pki-acme-directory-policy': explainMember(
    'default_directory_policy',
    'it must be forbid, sign-verbatim or role:<name>',
    withField('default_directory_policy', 'sign-verbatim'),
  ),
  'pki-acme-eab-policy': explainMember(
    'eab_policy',
    'it must be not-required, new-account-required or always-required',
    withField('eab_policy', 'not-required'),
  ),
  'pki-tidy-buffer-zero': explainBuffer,
  'pki-tidy-buffer-short': explainBuffer,
  'pki-tidy-pause': explainPause,
  'pki-auto-tidy-pause': explainPause,
  'pki-tidy-pause-negative': explainPause,
  'pki-auto-tidy-nothing': explainSwitch(
    '"enabled" is true, but no setting such as "tidy_cert_store" selects anything to tidy',
    'tidy_cert_store',
    true,
  ),
  'pki-tidy-metrics': explainSwitch(
    '"publish_stored_certificate_count_metrics" is true, but certificates are not counted without "maintain_stored_certificate_counts"',
    'maintain_stored_certificate_counts',
    true,
  ),
  'pki-url-invalid': (request) => {
    const field = refusalValue(request, 'field')
    return {
      because: `"${field}" has ${refusalValue(request, 'value')}; ${urlRule}`,
      ...withField(field, [])(request),
    }
  },
  'pki-cluster-path': explainMember('path', urlRule, () => withoutMembers('path')),
  'pki-cluster-aia-path': explainMember('aia_path', urlRule, () => withoutMembers('aia_path')),
  'pki-addresses-unfilled': explainTemplates,
  'pki-addresses-of-root': explainTemplates,
}
