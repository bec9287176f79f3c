import { texts } from '../fields/fields.ts'

/** Fields of a new mount. */
export const mountFields = {
  type: {
    type: 'string',
    description: 'What to mount, such as kv',
    required: true,
    default: '',
  },
  description: { type: 'string', description: 'For people', default: '' },
  config: {
    type: 'object',
    description: 'Settings: default_lease_ttl, max_lease_ttl, force_no_cache',
    default: {},
  },
  options: {
    type: 'object',
    format: 'key-value',
    description: 'Options of the engine; key-value engines have a version',
    default: {},
  },
  local: { type: 'boolean', description: 'Not replicated', default: false },
  seal_wrap: { type: 'boolean', description: 'Encrypted once more by the seal', default: false },
  external_entropy_access: {
    type: 'boolean',
    description: 'Draws randomness from outside',
    default: false,
  },
  plugin_name: { type: 'string', description: 'Ignored: everything is built in' },
} as const

/** Fields of a tuning; what is not sent stays. */
export const tuneFields = {
  description: { type: 'string', description: 'For people' },
  default_lease_ttl: { type: 'string', description: "A duration, or system for the system's" },
  max_lease_ttl: { type: 'string', description: "A duration, or system for the system's" },
  options: {
    type: 'object',
    format: 'key-value',
    description: 'Options to change; empty ones are removed',
  },
  listing_visibility: { type: 'string', description: 'unauth, hidden or empty' },
  token_type: { type: 'string', description: 'Authentication methods: the tokens they make' },
  audit_non_hmac_request_keys: texts('Kept without effect'),
  audit_non_hmac_response_keys: texts('Kept without effect'),
  passthrough_request_headers: texts('Kept without effect'),
  allowed_response_headers: texts('Kept without effect'),
} as const
