import { defineMessages } from '../../kernel/refusal.ts'

/** What is wrong with the claims of a JWT, for the methods that take one (behaviour/secrets#jwt-claims). */
export const { table: claimTexts, message: sayOfClaims } = defineMessages({
  'jwt-algorithm-unexpected': {
    text: 'invalid algorithm (alg) header parameter: token signed with unexpected algorithm',
  },
  'jwt-claim-type': {
    text: 'json: cannot unmarshal {type} into Go struct field Claims.{claim} of type string',
  },
  'jwt-audience-type': {
    text: 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience',
  },
  'jwt-date-type': {
    text: 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate',
  },
  'jwt-issuer-wrong': { text: 'invalid issuer (iss) claim' },
  'jwt-subject-wrong': { text: 'invalid subject (sub) claim' },
  'jwt-audience-wrong': {
    text: 'invalid audience (aud) claim: audience claim does not match any expected audience',
  },
  'jwt-undated': {
    text: 'no issued at (iat), not before (nbf), or expiration time (exp) claims in token',
  },
  'jwt-too-early': { text: 'invalid not before (nbf) claim: token not yet valid' },
  'jwt-expired': { text: 'invalid expiration time (exp) claim: token is expired' },
  'jwt-issued-later': { text: 'invalid issued at (iat) claim: token issued in the future' },
})
