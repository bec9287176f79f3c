import { refusals } from '../../../kernel/refusal.ts'

/** Messages of `combineCrls` and `signListedCrl` (behaviour/secrets#pki-signed-crls). */
export const signedCrlMessages = {
  ...refusals('invalid', {
    'pki-signed-crl-format': 'unknown format value of {value}',
    'pki-signed-crl-next-update': 'invalid value for next_update: {why}',
    'pki-signed-crl-next-update-past': 'next_update parameter must be greater than 0',
    'pki-signed-crl-number': 'crl_number parameter must be 0 or greater',
    'pki-signed-crl-base': 'delta_crl_base_number parameter must be -1 or greater',
    'pki-signed-crl-undecodable': 'failed decoding crl {index}: {why}',
    'pki-signed-crl-foreign': 'CRL index: {index} was not signed by requested issuer',
    'pki-signed-crl-content': '{why}',
    'pki-signed-crl-issuer': 'failed to resolve issuer issuer_ref: {why}',
    'pki-signed-crl-usage':
      'error while attempting to use issuer {id}: requested usage crl-signing for issuer [id:{id} / name:{name}] but only had usage {usages}',
    'pki-signed-crl-no-key':
      'unable to fetch corresponding key for issuer {id}; unable to use this issuer for signing',
  }),
  'pki-signed-crl-duplicate': {
    text: 'Duplicate serial {serial} with different revocation times detected, using oldest revocation time',
  },
} as const
