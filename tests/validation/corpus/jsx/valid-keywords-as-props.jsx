const Y = <Foo for="x" class="y" default if={1} switch={<Bar new />} type="button" async defer />;
