interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Turns something on and off. */
export function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <button type="button" class="switch" role="switch" aria-checked={isOn} onClick={() => onChange(!isOn)}>
      <span class="track" aria-hidden="true" />
      {label}
    </button>
  );
}
