import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

/** Canonical form, validation, cron and filters. */
export const jobChoices: readonly Choice[] = [
  decided(
    'canonical-parse',
    'What parsing with Canonicalize fills.',
    "All of the canonical form but what only registration sets: datacenters, node pool, networks of ports, IDs and targets of scaling, names of checks, a dispatch's payload rule, namespaces of services.",
    'behaviour/scheduler#canonical-form',
  ),
  decided(
    'canonical-explicit-zeros',
    'What becomes of zeros that were sent.',
    'Priority 0 is 50, KillTimeout 0 is 5s, Count 0 of a system job is 1, as in the reference; other zeros and empty texts stay.',
    'behaviour/scheduler#canonical-form',
  ),
  decided(
    'canonical-not-invented',
    'Which defaults outside the specification are filled in.',
    'None: AddressMode, Provider, TaskName, GetterMode, delimiters and RenderTemplates stay away until they are sent.',
    'behaviour/scheduler#canonical-form',
  ),
  decided(
    'canonical-odds',
    'Further fillings of the reference that are kept.',
    "Cores make CPU default to 0; a CSI plugin's MountDir is /csi; a partly sent CheckRestart gets a Grace of 1s.",
    'behaviour/scheduler#canonical-form',
  ),
  decided(
    'validation-nesting',
    "Where mistakes in a group's policies stand.",
    "Flat beside the group's other mistakes, as in the newest reference; those of resources, logs, services and periodic are nested.",
    'behaviour/scheduler#validation',
  ),
  decided(
    'validation-scaling',
    'What scaling without a maximum is.',
    'Stored as -1, and refused.',
    'behaviour/scheduler#validation',
  ),
  decided(
    'validation-empty-operand',
    'What a constraint without an operand is told.',
    'Both "Missing constraint operand" and that "" is unknown, as in the reference.',
    'behaviour/scheduler#validation',
  ),
  decided(
    'validation-providers',
    'Which providers a service may have.',
    "mesh and sched, and the vendor's names of them.",
    'behaviour/scheduler#validation',
  ),
  decided(
    'validation-count-limit',
    'When the largest number of allocations is checked.',
    'Last of all, and only when the option jobMaxCount names one: by default any number will do.',
    'behaviour/scheduler#validation',
  ),
  decided(
    'job-secrets-without-service',
    'What becomes of secrets blocks without a secrets service.',
    'They are accepted as if the integration were enabled; with the option secretsEnabled false they are refused, and so are those that have neither policies nor an identity.',
    'behaviour/scheduler#validation',
  ),
  gap(
    'validation-left-out',
    'What is not checked.',
    'NUMA, identities, actions, disconnect, the contents of connect, multiregion rules and CNI arguments.',
    'behaviour/scheduler#validation',
  ),
  decided(
    'cron-syntax',
    'Which cron specifications are valid.',
    "Those of the reference's library; a range like 30-10 is valid and never fires; names of time zones are taken in any letter case, offsets are refused.",
    'behaviour/scheduler#versions',
  ),
  decided(
    'filter-quoted-values',
    'What a quoted value is.',
    'Its text, also when it begins with a slash.',
    'behaviour/scheduler#filters',
  ),
  decided(
    'filter-collections',
    'Where any and all may stand.',
    'Anywhere in and, or and not; the reference has them alone.',
    'behaviour/scheduler#filters',
  ),
  decided(
    'filter-limits',
    'How large a filter may be.',
    '65,536 characters and 100 levels.',
    'behaviour/scheduler#filters',
  ),
  decided(
    'filter-members',
    'What filters see of members outside the specification.',
    'Their zero value until they are sent; members of requests alone are unknown.',
    'behaviour/scheduler#filters',
  ),
  decided(
    'filter-nil-scalars',
    'What "is nil" is on a text, number or truth value.',
    'An error in the form of the one about "is empty".',
    'behaviour/scheduler#filters',
  ),
  decided(
    'filter-free-numbers',
    'How numbers in free values compare.',
    'As floating-point numbers; "in" passes over nulls in such lists.',
    'behaviour/scheduler#filters',
  ),
]
