import { any, bool, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { requiredField, texts } from '../fields/field-kinds.ts'

/** Fields of a new mount. */
export const mountFields = {
  type: withDefault(requiredField(described(text, 'What to mount, such as kv')), ''),
  description: withDefault(described(text, 'For people'), ''),
  config: withDefault(
    described(map(any), 'Settings: default_lease_ttl, max_lease_ttl, force_no_cache'),
    {},
  ),
  options: withDefault(
    described(map(text), 'Options of the engine; key-value engines have a version'),
    {},
  ),
  local: withDefault(described(bool, 'Not replicated'), false),
  seal_wrap: withDefault(described(bool, 'Encrypted once more by the seal'), false),
  external_entropy_access: withDefault(described(bool, 'Draws randomness from outside'), false),
  plugin_name: described(text, 'Ignored: everything is built in'),
} as const

/** Fields of a tuning; what is not sent stays. */
export const tuneFields = {
  description: described(text, 'For people'),
  default_lease_ttl: described(text, "A duration, or system for the system's"),
  max_lease_ttl: described(text, "A duration, or system for the system's"),
  options: described(map(text), 'Options to change; empty ones are removed'),
  listing_visibility: described(text, 'unauth, hidden or empty'),
  token_type: described(text, 'Authentication methods: the tokens they make'),
  audit_non_hmac_request_keys: texts('Kept without effect'),
  audit_non_hmac_response_keys: texts('Kept without effect'),
  passthrough_request_headers: texts('Kept without effect'),
  allowed_response_headers: texts('Kept without effect'),
} as const
