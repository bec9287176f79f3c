import type { Choice } from '../../http/coverage.ts'
import { decided, gap } from './decided.ts'

const section = 'behaviour/scheduler#diff'

/** Structured diffs. */
export const diffChoices: readonly Choice[] = [
  decided(
    'diff-echoed-scalars',
    'How a member outside the specification differs from one that was not sent.',
    "The side without it counts as zero; a template's Uid and Gid count as absent.",
    section,
  ),
  decided(
    'diff-config-numbers',
    'How numbers of a driver configuration are written.',
    'In decimal: 67108864, where the reference has 6.7108864e+07.',
    section,
  ),
  decided(
    'diff-scaling',
    'What a changed Scaling block lists.',
    'All its members in context, but ID, Type, indexes and what Target always says.',
    section,
  ),
  decided(
    'diff-periodic-specs',
    'How several cron specifications are compared.',
    'As a set called Specs inside Periodic, as the newest reference does.',
    section,
  ),
  decided(
    'diff-shutdown-delay',
    "When a group's ShutdownDelay is compared.",
    'When both sides have the group, as in the reference.',
    section,
  ),
  decided(
    'diff-multiregion',
    "The type of an added Multiregion's Strategy.",
    'Added; the reference says Edited.',
    section,
  ),
  decided(
    'diff-template-wait',
    'How the Wait of a template is called.',
    'Template, as in the reference; ChangeScript is listed too.',
    section,
  ),
  decided(
    'diff-service-connect',
    "What is listed of a service's Connect and Identity.",
    'What the reference lists, under neutral names: MeshConnect, MeshProxy, MeshUpstreams.',
    section,
  ),
  decided(
    'diff-order-of-network-parts',
    'In which order the parts of a network come.',
    'Static Port, Dynamic Port, DNS.',
    section,
  ),
  decided(
    'diff-plan-updates',
    'What Updates is when a plan does nothing to a group.',
    'An empty object where the plan names the group, as in the reference.',
    section,
  ),
  decided(
    'diff-ties',
    'In which order objects come that differ neither in name nor type nor size.',
    'By their members one after the other; of two that are called alike on one side, the last counts.',
    section,
  ),
  gap(
    'diff-of-unlisted-members',
    'Members that make a group or task Edited without being listed.',
    'UI, VersionTag, Disconnect, Mesh, Identity, Identities, Actions, Schedule, NUMA and CNI.',
    section,
  ),
]
