class A
  def (x)
  end
end
