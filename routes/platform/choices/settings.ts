import type { Choice } from '../../http/coverage.ts'

const section = 'behaviour/platform#settings'
const mail = 'behaviour/platform#test-mail'
const extras = 'behaviour/platform#vendor-settings'

/** Administrative settings, test mails and test messages. */
export const settingsChoices: readonly Choice[] = [
  {
    id: 'settings-rules-while-disabled',
    about: 'Rules of SAML and SMTP settings that are disabled.',
    choice:
      'Types and enumerated values only; addresses, the port and the session timeout are looked at once `enabled` is true.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'settings-blank-enumerations',
    about: 'An enumerated attribute that is sent blank or as null.',
    choice: 'Two objects, as when a required one is missing; it does not go back to its default.',
    evidence: 'decided here',
    where: 'behaviour/platform#errors',
  },
  {
    id: 'smtp-port',
    about: 'The errors of a port that is missing or out of range while SMTP is enabled.',
    choice:
      "`Port can't be blank`, `Port must be greater than or equal to 1`, `Port must be less than or equal to 65535`.",
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'saml-timeout-message',
    about: 'The error of a SAML session timeout of zero or less.',
    choice: '`Sso api token session timeout must be greater than 0`.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'saml-signing-while-disabled',
    about: 'Signed requests or assertions without certificate and key while SAML is disabled.',
    choice: 'Accepted: disabled, nothing is required.',
    evidence: 'decided here',
    where: extras,
  },
  {
    id: 'general-timeout-twins',
    about: 'The deprecated twins of the timeouts.',
    choice:
      'Two names of one value; where a PATCH sends both, the newer name counts. The text is not parsed.',
    evidence: 'decided here',
    where: extras,
  },
  {
    id: 'general-ceilings',
    about: 'Defaults of the limits on organizations and workspaces.',
    choice: 'Off, their ceilings null; they limit nothing.',
    evidence: 'decided here',
    where: extras,
  },
  {
    id: 'cost-estimation-flags',
    about: "What each cloud's own enabled flag does.",
    choice: 'It is kept and told; complete credentials are needed all the same.',
    evidence: 'decided here',
    where: extras,
  },
  {
    id: 'smtp-xoauth2',
    about: 'Authentication `xoauth2`.',
    choice:
      '`client-id` and `client-secret` are required, the latter is write-only. Real delivery cannot use it: 500.',
    evidence: 'decided here',
    where: extras,
  },
  {
    id: 'mail-delivery',
    about: 'How real mail goes out.',
    choice:
      'TLS from the start on port 465, STARTTLS where the server offers it, certificates checked; all of it within `mailTimeout`. A temporary refusal (4xx) of credentials is 500, not 401.',
    evidence: 'decided here',
    where: mail,
  },
  {
    id: 'mail-after-delivery',
    about: 'Settings that somebody else changes while a real test mail is under way.',
    choice:
      'The change is laid over the new ones if their rules hold, else refused; the mail stays in the outbox.',
    evidence: 'decided here',
    where: mail,
  },
  {
    id: 'sms-verify-order',
    about: 'A verification without a number while SMS is disabled.',
    choice: '`test-number is required`.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'outbox',
    about: 'Where test mails and text messages go.',
    choice:
      'Into an outbox: `GET /_mock/platform/outbox`, emptied with DELETE, and part of the state.',
    evidence: 'extension',
    where: mail,
  },
]
