import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'

/** Texts of the SSH engine (behaviour/secrets#ssh). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'ssh-ca-exists': 'keys are already configured; delete them before reconfiguring',
    'ssh-ca-missing': "keys haven't been configured yet",
    'ssh-ca-both':
      'public_key and private_key must not be set when generate_signing_key is set to true',
    'ssh-ca-half':
      'only one of public_key and private_key set; both must be set to use, or both must be blank to auto-generate',
    'ssh-public-key-missing': 'missing public_key',
    'ssh-private-key-missing': 'missing private_key',
    'ssh-private-key-unreadable': 'Unable to parse private_key as an SSH private key: {why}',
    'ssh-ca-public-key-unreadable': 'Unable to parse public_key as an SSH public key: {why}',
    'ssh-key-type-missing': 'missing key type',
    'ssh-key-type-invalid': 'invalid key type',
    'ssh-key-type-dynamic': 'dynamic key type roles are no longer supported',
    'ssh-certificates-none':
      "Either 'allow_user_certificates' or 'allow_host_certificates' must be set to 'true'",
    'ssh-ttl-above-max': '"ttl" value must be less than "max_ttl" when both are specified',
    'ssh-default-user-missing': 'missing default user',
    'ssh-role-to-sign-unknown': 'Unknown role: {name}',
    'ssh-role-to-issue-unknown': 'unknown role: {name}',
    'ssh-role-not-for-keys': "role key type '{type}' not allowed to issue key pairs",
    'ssh-public-key-unreadable': 'failed to parse public_key as SSH key: {why}',
    'ssh-key-not-allowed':
      'public_key failed to meet the key requirements: key of type {type} is not allowed',
    'ssh-key-size-not-allowed':
      'public_key failed to meet the key requirements: key is of an invalid size: {bits}',
    'ssh-key-id-not-allowed': 'setting key_id is not allowed by role',
    'ssh-cert-type-unknown': "cert_type must be either 'user' or 'host'",
    'ssh-cert-type-not-allowed': "cert_type '{type}' is not allowed by role",
    'ssh-principals-none': 'role is not configured to allow any principals',
    'ssh-principal-not-allowed': '{principal} is not a valid value for valid_principals',
    'ssh-template-failed': "template '{template}' could not be rendered -> {why}",
    'ssh-ttl-long': 'ttl is larger than maximum allowed {most}',
    'ssh-options-not-allowed': 'critical options not on allowed list: [{names}]',
    'ssh-extensions-not-allowed': 'extensions [{names}] are not on allowed list',
    'ssh-ip-missing': 'Missing ip',
    'ssh-ip-invalid': 'Invalid IP {ip}',
    'ssh-ip-of-no-role': 'Error validating IP: IP does not belong to role',
    'ssh-user-not-allowed': 'Username is not present is allowed users list',
    'ssh-user-not-default':
      'Username has to be either in allowed users list or has to be a default username',
    'ssh-role-unknown': 'Role {name} not found',
    'ssh-otp-unknown': 'OTP not found',
    'ssh-roles-missing': 'Missing roles',
    'ssh-zero-address-role-unknown': 'Role {name} does not exist',
  }),
  ...callerErrorRefusals({
    'ssh-key-algorithm-unknown': 'unknown ssh key pair algorithm: {type}',
    'ssh-key-weak': 'refusing to generate weak {type} key: {bits} bits < 2048 bits',
    'ssh-curve-unknown': 'unknown ECDSA key pair algorithm and bits: {type} / {bits}',
    'ssh-signer-unknown': 'unknown algorithm signer {name}',
    'ssh-networks-invalid': 'failed to validate {member}: invalid CIDR address: {network}',
    'ssh-creds-of-ca': 'key type unknown',
  }),
})
