import { isObject } from '../../../state/kernel/objects.ts'
import type { Correction } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { type ExplainInMount, explainMember, memberOf } from './names.ts'
import { issuerRef } from './pki-issuers.ts'
import { withField } from './root-requests.ts'

/** Returns a correction that omits the CRL at the index that the refusal names. */
function withoutCrl({ refusal }: RefusedRequest): Correction {
  const index = Number(refusal?.params['index'])
  return {
    change: `Omit the CRL at index ${index} of "crls"`,
    request: {
      body: (sent) => {
        const crls = [memberOf({ body: sent }, 'crls') ?? []].flat()
        return { ...(isObject(sent) && sent), crls: crls.filter((_, at) => at !== index) }
      },
    },
  }
}

/** Explains an invalid entry of `revoked_certs` or `extensions`. */
const explainContent: ExplainInMount = (request) => {
  const why = String(request.refusal?.params['why'])
  const list = why.includes('from entry') ? 'revoked_certs' : 'extensions'
  return {
    because: `"${list}" has an invalid entry: ${why}`,
    ...withField(list, [])(request),
  }
}

/** Explanations of refusals to sign CRLs with contents from the request, by rule. */
export const pkiSignedCrlExplanations: Readonly<Record<string, ExplainInMount>> = {
  'pki-signed-crl-format': explainMember(
    'format',
    'it must be pem or der',
    withField('format', 'pem'),
  ),
  'pki-signed-crl-next-update': explainMember(
    'next_update',
    'it must be a duration such as 72h',
    withField('next_update', '72h'),
  ),
  'pki-signed-crl-next-update-past': explainMember(
    'next_update',
    'the CRL must expire in the future',
    withField('next_update', '72h'),
  ),
  'pki-signed-crl-number': explainMember(
    'crl_number',
    'it must be at least 0',
    withField('crl_number', 0),
  ),
  'pki-signed-crl-base': explainMember(
    'delta_crl_base_number',
    'it must be the number of a complete CRL, or -1 to sign a complete CRL',
    withField('delta_crl_base_number', -1),
  ),
  'pki-signed-crl-undecodable': (request) => ({
    because: `the CRL at index ${String(request.refusal?.params['index'])} of "crls" is not one PEM block with a CRL`,
    ...withoutCrl(request),
  }),
  'pki-signed-crl-foreign': (request, mount) => ({
    because: `the CRL at index ${String(request.refusal?.params['index'])} of "crls" was not signed by the key of the issuer ${issuerRef(request, mount)}`,
    ...withoutCrl(request),
  }),
  'pki-signed-crl-content': explainContent,
}
