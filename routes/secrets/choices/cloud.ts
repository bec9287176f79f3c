import type { Choice } from '../../http/coverage.ts'

const login = 'behaviour/secrets#cloud-login'
const holds = 'behaviour/secrets#cloud-principals'
const names = 'behaviour/secrets#vendor-names'

/** The cloud-identity method, and the vendor's names of mounts. */
export const cloudChoices: readonly Choice[] = [
  {
    id: 'cloud-role-names',
    about: 'Whether the case of role names counts.',
    choice: 'No: roles are kept in lower case, and a signed request target has to name them so.',
    evidence: 'decided here',
    where: 'behaviour/secrets#cloud-role',
  },
  {
    id: 'cloud-batch-roles',
    about: 'A role of the type batch with a period or a number of uses.',
    choice:
      "400 `'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens`, or `… tokens with limited use count`; the reference overlooks a number that comes with the type.",
    evidence: 'decided here',
    where: 'behaviour/secrets#cloud-role',
  },
  {
    id: 'cloud-token-type',
    about: "Which token a login gets where the mount's tuning and the role differ.",
    choice:
      '`service` and `batch` of the mount go before the role; its `default-service` and `default-batch` yield to it. A batch token that the mount asks for has no number of uses.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-display-name',
    about: 'What tokens of a mount elsewhere are called.',
    choice: 'As the mount: `team-cloud-dev` for the role `dev` of `auth/team/cloud/`.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-entity-id',
    about: 'What the entity id of a login is.',
    choice:
      'A UUID made from the accessor of the mount and the id of the principal: the same for each of its logins there, whatever the role, wherever the mount is moved. `identity/` knows nothing of it.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-login-verbs',
    about: 'Other verbs than POST and PUT at a login.',
    choice:
      '405 `unsupported operation`, with and without a token. LIST asks for a path with a closing slash, which there is not: 404 `unsupported path`.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-response-wrapping-role',
    about: 'A role that grants the policy `response-wrapping`.',
    choice: 'Its logins are refused: 400 `cannot assign policy "response-wrapping"`.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-request-target-world',
    about: 'Request targets of worlds behind a path prefix.',
    choice: 'Both are taken: the path with `/_world/<id>` before it and without.',
    evidence: 'extension',
    where: login,
  },
  {
    id: 'cloud-authorization-form',
    about: 'What an authorization header may look like.',
    choice:
      'Parameter names in any case, values quoted or bare, unknown ones ignored, none twice, at most 64 KiB. `version` may be left out; `algorithm` may not.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-signed-values',
    about: 'How header values go into the signing string.',
    choice:
      'Several values of a header are joined by `, `; blanks around them are cut. A header may be covered once only.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-dates',
    about: 'Which dates a signature may have.',
    choice:
      'The three forms of HTTP dates, whatever the day of the week they name; exactly five minutes apart is still fine.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-host',
    about: 'Whether the signed `host` has to be the one of the request.',
    choice: 'No, it only has to be signed.',
    evidence: 'decided here',
    where: login,
  },
  {
    id: 'cloud-security-tokens',
    about: 'Whether the token of a key id `ST$<jwt>` is verified.',
    choice:
      'Its claims `tenant`, `sub`, `ptype` and `exp` are read, its own signature is not looked at: the headers must be signed with the key that is held for `sub`. With the `ptype` user those are the API keys of the user; other types than user and instance name an instance and are refused as `Wrong principal type`.',
    evidence: 'decided here',
    where: holds,
  },
  {
    id: 'cloud-identities',
    about: 'Which identities a fresh world has.',
    choice:
      'A tenancy, a user in a group and an instance in a dynamic group: `example-tenancy`, `example-user`, `example-group`, `example-instance`, `example-dynamic-group`, with the vendor `ocid1.<kind>.oc1..example`. They have no keys until the control plane signs a login for them.',
    evidence: 'extension',
    where: holds,
  },
  {
    id: 'cloud-identities-world',
    about: 'Whose the identities are.',
    choice:
      "The world's: all mounts and namespaces ask the same cloud, and DR secondaries get to know it with everything else.",
    evidence: 'extension',
    where: holds,
  },
  {
    id: 'cloud-fingerprints',
    about: 'How keys are called in key ids.',
    choice:
      'By the MD5 of the public key in DER form, as pairs of hex digits with colons, as the cloud does.',
    evidence: 'decided here',
    where: holds,
  },
  {
    id: 'vendor-mount-paths',
    about:
      "Whether the vendor's paths of mounts work in the neutral dialect and the other way round.",
    choice:
      'No: types, fields and headers have two names, mounts are where they are. A fresh world has `kubernetes/` and `auth/oci/` in the vendor dialect; the options `orchPath` and `cloudPath` change that.',
    evidence: 'decided here',
    where: names,
  },
]
