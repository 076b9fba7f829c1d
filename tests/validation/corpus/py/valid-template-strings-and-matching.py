from string.templatelib import Template, Interpolation

def html(template: Template) -> str:
    parts = []
    for item in template:
        match item:
            case str() as s:
                parts.append(s)
            case Interpolation(value, _, conversion, spec):
                parts.append(format(value, spec))
    return "".join(parts)

user = "<b>"
page = t"<p>{user!r:>20}</p>"
other = tr"\d{user}" t"{f'{user}'}"

def load(path):
    try:
        with open(path) as fh:
            return fh.read()
    except OSError, UnicodeDecodeError:
        return None
    except ValueError as e:
        raise RuntimeError from e
    return t"{path=}{len(path):,}"
